import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import type { LogLevel } from '../config/settings.ts';

const STDERR = 2;

/** How to log. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Whether a person reads along. */
  readonly isTerminal: boolean;
}

/** Logs to stderr: one line of JSON each, or readable text on a terminal. */
export async function createLog({ level, isTerminal }: LogOptions): Promise<Logger> {
  // Synchronous, so that the last lines before an exit are never lost. A closed stderr is not an error to pino.
  const stderr = pino.destination({ dest: STDERR, sync: true });
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    isTerminal ? await prettified(stderr) : stderr,
  );
}

/** Loaded only where somebody reads: services log JSON and need not pay for it. */
async function prettified(target: DestinationStream): Promise<DestinationStream> {
  const { prettyFactory, isColorSupported } = await import('pino-pretty');
  const format = prettyFactory({
    colorize: isColorSupported,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
  });
  // pino-pretty's own stream buffers; formatting line by line keeps the output synchronous.
  return { write: (line: string) => target.write(format(line)) };
}
