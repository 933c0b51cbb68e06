import type { Writable } from 'node:stream';

/** How long an exit waits for somebody to read the last lines, in ms. */
const FLUSH_MS = 500;

/** Ends the process once its output is written, or cannot be. */
export async function exitAfterOutput(code: number): Promise<never> {
  const outOfTime = new Promise((resolve) => {
    setTimeout(resolve, FLUSH_MS);
  });
  await Promise.race([Promise.all([whenWritten(process.stdout), whenWritten(process.stderr)]), outOfTime]);
  return process.exit(code);
}

/** Resolves when what was given to `stream` is written, or the stream has failed. */
function whenWritten(stream: Writable): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
