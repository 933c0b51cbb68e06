import type { Writable } from 'node:stream';
import type { Log } from './log.ts';

/** How long an exit waits for somebody to read the last lines, in ms. */
const FLUSH_MS = 500;

/** Ends the process once its output is written, or cannot be. */
export async function exitAfterOutput(code: number, log: Log): Promise<never> {
  const outOfTime = new Promise((resolve) => {
    setTimeout(resolve, FLUSH_MS);
  });
  const allWritten = Promise.all([log.flush(), whenWritten(process.stdout), whenWritten(process.stderr)]);
  await Promise.race([allWritten, outOfTime]);
  return process.exit(code);
}

/** Resolves when what was given to `stream` is written, or the stream has failed. */
function whenWritten(stream: Writable): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => stream.write('', () => resolve()));
}
