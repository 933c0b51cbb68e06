import type { Clock } from '@openchambery/daemon';
import { SlidingWindow } from '../limits/sliding-window.ts';
import type { PushOutcome } from '../provider/push-outcome.ts';

const MINUTE_MS = 60_000;
/** Tokens of one server about which the other environment may be asked in a minute: those of one whole request. */
const ASKED_PER_SERVER = 100;
/** The same for all servers together. */
const ASKED_IN_ALL = 1000;
/** Servers whose share is kept in mind. */
const MAX_SERVERS = 10_000;
/** Where asking was of no use, it is not tried again for this long, in ms. */
const FRUITLESS_MS = 3_600_000;
/** Tokens for which asking was of no use, kept in mind. */
const MAX_FRUITLESS = 10_000;

/**
 * Decides whether the other environment is asked about a token that one does not know. Whoever registers made-up
 * tokens must not double our traffic: hence a budget, and asking in vain is remembered.
 */
export class SecondOpinion {
  readonly #byServer: SlidingWindow;
  readonly #inAll: SlidingWindow;
  readonly #fruitless: SlidingWindow;

  constructor(clock: Clock) {
    this.#byServer = new SlidingWindow({
      clock,
      windowMs: MINUTE_MS,
      max: ASKED_PER_SERVER,
      maxKeys: MAX_SERVERS,
    });
    this.#inAll = new SlidingWindow({ clock, windowMs: MINUTE_MS, max: ASKED_IN_ALL, maxKeys: 1 });
    this.#fruitless = new SlidingWindow({
      clock,
      windowMs: FRUITLESS_MS,
      max: 1,
      maxKeys: MAX_FRUITLESS,
    });
  }

  /** Whether to ask; counts it when so. */
  mayAsk(serverId: string, token: string): boolean {
    if (this.#fruitless.isFull(token)) return false;
    const share = this.#byServer.take(serverId);
    if (!share.ok) return false;
    if (this.#inAll.take('').ok) return true;
    share.giveBack();
    return false;
  }

  /** Remembers an answer that another question would hardly change. */
  heard(token: string, outcome: PushOutcome): void {
    const isFruitless = outcome.kind === 'configuration-fault' || outcome.kind === 'request-fault';
    if (isFruitless) this.#fruitless.take(token);
  }
}
