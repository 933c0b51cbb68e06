import { AdmissionTable, LogBudget } from '@openchambery/daemon';
import type { Clock, Logger } from '@openchambery/daemon';
import type { PushLimits } from '@openchambery/push/options';

/** Requests of an IP for each that its limits let pass: who hears `429` and slows down is far from it. */
const REQUESTS_PER_PERMIT = 10;
const MINUTE_MS = 60_000;
/** IPs whose last minute is kept in mind. */
const MAX_IPS = 10_000;

/** What a {@link RequestBudget} needs. */
export interface RequestBudgetOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: Pick<PushLimits, 'registerLimitPerMinute' | 'sendLimitPerMinute'>;
}

/**
 * Bounds what the relay's thread does for one IP below push's paths, refusals included: each costs it a message there and
 * back. The worker counts what is carried out.
 */
export class RequestBudget {
  readonly #max: number;
  readonly #table: AdmissionTable<'request'>;
  readonly #logger: Logger;
  readonly #lines: LogBudget<'flood'>;

  constructor({ clock, logger, limits }: RequestBudgetOptions) {
    this.#max = REQUESTS_PER_PERMIT * (limits.registerLimitPerMinute + limits.sendLimitPerMinute);
    this.#table = new AdmissionTable({ clock, windowMs: MINUTE_MS, maxEntries: MAX_IPS });
    this.#logger = logger;
    this.#lines = new LogBudget(clock);
  }

  /** Counts a request and says whether to take it; tells the log when not. */
  admits(ip: string): boolean {
    if (this.#table.admit({ kind: 'request', key: ip, max: this.#max })) return true;
    const { write, suppressed } = this.#lines.take('flood');
    if (write) {
      const reason = `more than ${this.#max} requests to push in a minute`;
      const more = suppressed === 0 ? {} : { suppressed };
      this.#logger.warn({ ip, cause: 'push-rate', reason, ...more }, 'connection dropped');
    }
    return false;
  }
}
