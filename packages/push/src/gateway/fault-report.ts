import type { Clock, Logger } from '@openchambery/daemon';
import type { PushKind } from '../provider/push-provider.ts';
import type { Dialect } from './dialect.ts';

/** Lines about faults and recoveries per minute, of each service and kind of push. */
const MAX_LINES = 10;
const MINUTE_MS = 60_000;

/** What a {@link FaultReport} is about, and where it goes. */
export interface FaultReportParts {
  readonly dialect: Pick<Dialect, 'title' | 'fields' | 'checkFor'>;
  readonly kind: PushKind;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Says what is wrong with the configuration for one kind of push: once, loudly, and when it is over. */
export class FaultReport {
  readonly #parts: FaultReportParts;
  #reason: string | undefined;
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #lineCount = 0;

  constructor(parts: FaultReportParts) {
    this.#parts = parts;
  }

  /** The service's word for what is wrong now. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** What is wrong now, in words. */
  get fault(): string | undefined {
    return this.#reason === undefined ? undefined : this.#describe(this.#reason);
  }

  /** A push came back with a configuration fault. */
  raise(reason: string): void {
    if (reason === this.#reason) return;
    this.#reason = reason;
    if (!this.#mayLog()) return;
    const { dialect, kind, logger } = this.#parts;
    logger.error({ ...dialect.fields, kind, reason }, this.#describe(reason));
  }

  /** A push was accepted. */
  clear(): void {
    if (this.#reason === undefined) return;
    this.#reason = undefined;
    if (!this.#mayLog()) return;
    const { dialect, kind, logger } = this.#parts;
    logger.info({ ...dialect.fields, kind }, `${dialect.title} accepts pushes again`);
  }

  #describe(reason: string): string {
    const { title, checkFor } = this.#parts.dialect;
    return `${title} refuses pushes with this configuration: ${reason}; ${checkFor(reason)}`;
  }

  #mayLog(): boolean {
    const now = this.#parts.clock.monotonicMs();
    if (now - this.#windowStartMs >= MINUTE_MS) {
      this.#windowStartMs = now;
      this.#lineCount = 0;
    }
    this.#lineCount += 1;
    return this.#lineCount <= MAX_LINES;
  }
}
