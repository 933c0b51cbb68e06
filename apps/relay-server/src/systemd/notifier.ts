import type { Logger } from '@openchambery/daemon';
import type { NotifyHelper, NotifyListener, NotifyOutcome } from './notify-helper.ts';

/** What a {@link Notifier} needs. */
export interface NotifierOptions {
  readonly logger: Logger;
  startHelper(listener: NotifyListener): NotifyHelper;
}

/** Tells systemd about this process; what becomes of it is logged, and nobody waits for it. */
export class Notifier {
  readonly #options: NotifierOptions;
  /** Started before there is something to tell, while this process is small and quickly forked. */
  #helper: NotifyHelper | undefined;
  #pendingCount = 0;
  #lastOutcome: 'told' | 'failed' = 'told';

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#helper = this.#start();
  }

  /** Whether everything has been told, or could not be. */
  get isIdle(): boolean {
    return this.#pendingCount === 0;
  }

  notify(...assignments: readonly string[]): void {
    this.#helper ??= this.#start();
    this.#pendingCount += 1;
    this.#helper.send(assignments);
  }

  #start(): NotifyHelper {
    return this.#options.startHelper({
      onOutcome: (outcome) => {
        this.#pendingCount -= 1;
        this.#report(outcome);
      },
      onEnd: (outcome) => {
        this.#helper = undefined;
        this.#pendingCount = 0;
        // Its own end is a failure, whatever it says about it.
        this.#fail(outcome);
      },
    });
  }

  #report(outcome: NotifyOutcome): void {
    if ('exitCode' in outcome && outcome.exitCode === 0) this.#lastOutcome = 'told';
    else this.#fail(outcome);
  }

  /** Once, until it works again. */
  #fail(outcome: NotifyOutcome): void {
    if (this.#lastOutcome === 'failed') return;
    this.#lastOutcome = 'failed';
    this.#options.logger.warn({ ...outcome }, 'systemd cannot be told about this process');
  }
}
