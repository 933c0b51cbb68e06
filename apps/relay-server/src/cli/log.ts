import { pino } from 'pino';
import type { Logger } from 'pino';
import type { LogLevel } from '../config/settings.ts';
import { LogWriter } from './log-writer.ts';
import { openStderrSink } from './stderr-sink.ts';

/** How to log. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Whether a person reads along. */
  readonly isTerminal: boolean;
}

/** A log, and the way to see its last lines written. */
export interface Log {
  readonly logger: Logger;
  /** Resolves when all lines are written, or waiting does not help; never, as long as nobody reads stderr. */
  flush(): Promise<void>;
  /** Logs why the process has to end now. Does not wait: what stderr does not take at once is lost. */
  crash(fields: object): void;
}

/**
 * Logs to stderr: one line of JSON each, or readable text on a terminal. Lines are written in the background: a
 * pipe that nobody reads or a full disk must not stop the relay.
 */
export async function createLog({ level, isTerminal }: LogOptions): Promise<Log> {
  const writer = new LogWriter({
    sink: openStderrSink(),
    onRecovered: (lostCount) => logger.warn({ lines: lostCount }, 'log lines were lost'),
  });
  const format = isTerminal ? await prettyFormat() : asItIs;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => writer.write(format(line)) },
  );
  process.once('exit', () => writer.end());
  return {
    logger,
    flush: () => writer.flush(),
    crash: (fields) => {
      writer.end();
      logger.fatal(fields, 'crashed');
    },
  };
}

function asItIs(line: string): string {
  return line;
}

/** Loaded only where somebody reads: services log JSON and need not pay for it. */
async function prettyFormat(): Promise<(line: string) => string> {
  const { prettyFactory, isColorSupported } = await import('pino-pretty');
  // pino-pretty's own stream would need a thread or a pipe; line by line it is a function.
  return prettyFactory({ colorize: isColorSupported, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' });
}
