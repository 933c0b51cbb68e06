import type { Clock, Logger } from '@openchambery/daemon';
import { faultName, isSqliteFault } from './sqlite-fault.ts';

/** Faults of the same kind within that time are counted and not written. */
const QUIET_MS = 60_000;

interface Silence {
  readonly startedAtMs: number;
  suppressed: number;
}

/** Tells the operator of faults, once a minute and kind: with a full disk every request fails. */
export class FaultLog {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #file: string;
  /** By kind; SQLite has some thirty. */
  readonly #silences = new Map<string, Silence>();

  constructor(file: string, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#file = file;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The message of the fault is not logged: it is made of SQL, but nobody vouches for what else. */
  report(error: unknown): void {
    const fault = isSqliteFault(error) ? faultName(error) : 'BUG';
    const now = this.#clock.monotonicMs();
    const silence = this.#silences.get(fault);
    if (silence !== undefined && now - silence.startedAtMs < QUIET_MS) {
      silence.suppressed++;
      return;
    }
    this.#silences.set(fault, { startedAtMs: now, suppressed: 0 });
    const fields = { fault, file: this.#file, suppressed: silence?.suppressed ?? 0 };
    this.#logger.error(
      fields,
      'The token database does not work; requests are refused, nothing acknowledged is lost',
    );
  }
}
