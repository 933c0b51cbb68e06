import type { Writable } from 'node:stream';
import type { Log } from './log.ts';

/** How long an exit waits for somebody to read the last lines, in ms. */
const FLUSH_MS = 500;

/** What may have threads that keep the process from exiting. */
export interface Cuttable {
  /** Ends them at once, and tells within 0.5 s whether one is `stuck` in the operating system. @default there are none */
  cut?(): Promise<'gone' | 'stuck'>;
}

/** What an exit has to look after. */
export interface ExitDuties {
  readonly log: Log;
  daemon?: Cuttable;
}

/** Ends the process once its output is written, or cannot be. */
export async function exitAfterOutput(code: number, { log, daemon }: ExitDuties): Promise<never> {
  const [end] = await Promise.all([daemon?.cut?.(), whenAllWritten(log)]);
  // Node waits in its exit for each thread, for as long as a disk may hang; only this does not. Whoever supervises sees
  // it, as is right: the database was not closed. The first process of a container is spared, and waits.
  if (end === 'stuck') process.kill(process.pid, 'SIGKILL');
  return process.exit(code);
}

/** Ends the process before the call returns, or where there are threads as soon as they allow it. */
export async function exitNow(code: number, duties: ExitDuties): Promise<never> {
  return duties.daemon?.cut === undefined ? process.exit(code) : exitAfterOutput(code, duties);
}

/** Resolves when all output is written, or 0.5 s later. */
async function whenAllWritten(log: Log): Promise<void> {
  const outOfTime = new Promise((resolve) => {
    setTimeout(resolve, FLUSH_MS);
  });
  const allWritten = Promise.all([log.flush(), whenWritten(process.stdout), whenWritten(process.stderr)]);
  await Promise.race([allWritten, outOfTime]);
}

/** Resolves when what was given to `stream` is written, or the stream has failed. */
function whenWritten(stream: Writable): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => stream.write('', () => resolve()));
}
