import type { PushOutcome } from '../provider/push-outcome.ts';
import type { Notification } from '../provider/push-provider.ts';
import type { Admission } from './breaker.ts';
import type { Exchange } from './exchange.ts';

/**
 * - waiting: for a connection, a stream or a provider token.
 * - sent: on a stream; may have been processed.
 * - settled: its outcome is known.
 */
type State =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'sent'; readonly exchange: Exchange }
  | { readonly kind: 'settled' };

const WAITING: State = { kind: 'waiting' };
const SETTLED: State = { kind: 'settled' };

/** What a {@link Delivery} is made of. */
export interface DeliveryParts {
  readonly notification: Notification;
  readonly admission: Admission;
  readonly resolve: (outcome: PushOutcome) => void;
}

/** One push on its way, from the call to its outcome, over as many streams as it may take. */
export class Delivery {
  readonly notification: Notification;
  /** How the breaker let it in. */
  readonly admission: Admission;
  /** Whether it was sent again with another provider token: that happens once. */
  isRenewed = false;
  /** Whether it was sent again after the peer had refused its stream: that happens once. */
  isRefused = false;
  /** Neighbours in the queue it waits in; owned by `DeliveryQueue`. */
  previous: Delivery | undefined = undefined;
  next: Delivery | undefined = undefined;
  readonly #resolve: (outcome: PushOutcome) => void;
  #state: State = WAITING;
  #isReturned = false;

  constructor(parts: DeliveryParts) {
    this.notification = parts.notification;
    this.admission = parts.admission;
    this.#resolve = parts.resolve;
  }

  get state(): State {
    return this.#state;
  }

  /** Whether it has been sent before and waits, or goes, again. */
  get isReturned(): boolean {
    return this.#isReturned;
  }

  /** It is on a stream. */
  sent(exchange: Exchange): void {
    this.#state = { kind: 'sent', exchange };
  }

  /** It was certainly not processed and waits again. */
  returned(): void {
    this.#isReturned = true;
    this.#state = WAITING;
  }

  /** Tells the caller. Only once: the owner asks for the state before. */
  settle(outcome: PushOutcome): void {
    if (this.#state.kind === 'settled') throw new Error('a delivery has one outcome');
    this.#state = SETTLED;
    this.#resolve(outcome);
  }
}
