import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

type SonicBoom = ReturnType<typeof pino.destination>;
import type { LogLevel } from '../config/settings.ts';

const STDERR = 2;

/** How to log. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Whether a person reads along. */
  readonly isTerminal: boolean;
}

/** What may wait for a reader of stderr that is slow or stuck; later lines are dropped. In bytes. */
const MAX_WAITING_BYTES = 1_048_576;

/** A log, and the way to see its last lines written. */
export interface Log {
  readonly logger: Logger;
  /** Resolves when all lines are written, or when stderr does not take them in time. */
  flush(): Promise<void>;
}

/**
 * Logs to stderr: one line of JSON each, or readable text on a terminal. Lines are written in the background: a
 * pipe that nobody reads must not stop the relay.
 */
export async function createLog({ level, isTerminal }: LogOptions): Promise<Log> {
  const stderr = pino.destination({ dest: STDERR, sync: false, maxLength: MAX_WAITING_BYTES });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    isTerminal ? await prettified(stderr) : stderr,
  );
  return { logger, flush: () => flushInTime(stderr) };
}

/** How long an exit waits for stderr, in ms. */
const FLUSH_MS = 500;

function flushInTime(stderr: SonicBoom): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, FLUSH_MS);
    stderr.flush(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Loaded only where somebody reads: services log JSON and need not pay for it. */
async function prettified(target: SonicBoom): Promise<DestinationStream> {
  const { prettyFactory, isColorSupported } = await import('pino-pretty');
  const format = prettyFactory({
    colorize: isColorSupported,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
  });
  // pino-pretty's own stream would need a thread or a pipe; line by line it is a function.
  return { write: (line: string) => target.write(format(line)) };
}
