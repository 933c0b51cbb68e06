import type { Clock } from '@openchambery/tunnel';
import type { Output, ReportStyle } from './output.ts';
import type { Environment } from './settings.ts';

/** What an invocation has around it. */
export interface Surroundings {
  readonly env: Environment;
  readonly output: Output;
  readonly style: ReportStyle;
  readonly clock: Clock;
  /** Aborted when the command is to stop; its `reason` is the exit code that shells report for the signal. */
  readonly stopping: AbortSignal;
  /** Columns of the terminal that stdout is at this moment; `undefined` when it is none. */
  readonly stdoutColumns: () => number | undefined;
  /** The same of stderr. */
  readonly stderrColumns: () => number | undefined;
  /** The first line of stdin; rejects with a UsageError above `maxBytes`. */
  readonly readStdinLine: (maxBytes: number) => Promise<string>;
}

/** Resolves when the command is to stop. */
export function whenStopping({ stopping }: Pick<Surroundings, 'stopping'>): Promise<void> {
  return new Promise((resolve) => {
    if (stopping.aborted) resolve();
    else stopping.addEventListener('abort', () => resolve(), { once: true });
  });
}
