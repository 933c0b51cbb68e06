import type { Clock } from '@openchambery/daemon';
import type { PushOutcome } from '../provider/push-outcome.ts';

/** Configuration faults in a row, without an accepted push, after which pushes fail without being sent. */
const MAX_FAULTS = 10;
/** How long they do so before one is tried again, in ms. */
const REST_MS = 30_000;

/**
 * - closed: pushes are sent.
 * - open: pushes fail at once.
 * - half-open: one push at a time is sent to see whether the fault is gone; the others fail at once.
 */
type State =
  | { readonly kind: 'closed'; readonly faultCount: number }
  | { readonly kind: 'open'; readonly untilMs: number }
  | { readonly kind: 'half-open'; readonly trialUnderWay: boolean };

/** `pass`: send it. `trial`: send it, all depends on it. `refuse`: do not. */
export type Admission = 'pass' | 'trial' | 'refuse';

/** Keeps pushes that are bound to fail away from the service: "stop hammering" when the configuration is wrong. */
export class Breaker {
  readonly #clock: Clock;
  #state: State = { kind: 'closed', faultCount: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Asked once per push; whoever gets `pass` or `trial` reports its outcome through `settle`. */
  admit(): Admission {
    const state = this.#state;
    switch (state.kind) {
      case 'closed':
        return 'pass';
      case 'open':
        if (this.#clock.monotonicMs() < state.untilMs) return 'refuse';
        break;
      case 'half-open':
        if (state.trialUnderWay) return 'refuse';
    }
    this.#state = { kind: 'half-open', trialUnderWay: true };
    return 'trial';
  }

  /** The outcome of a push that was admitted. */
  settle(outcome: PushOutcome['kind'], admission: Admission): void {
    const state = this.#state;
    if (outcome === 'accepted') {
      if (state.kind !== 'closed' || state.faultCount > 0) this.#state = { kind: 'closed', faultCount: 0 };
      return;
    }
    if (outcome === 'configuration-fault') {
      if (state.kind === 'closed') this.#count(state.faultCount + 1);
      else if (admission === 'trial') this.#open();
      return;
    }
    // The trial came to nothing that says anything about the configuration: the next push is one.
    if (admission === 'trial' && state.kind === 'half-open') {
      this.#state = { kind: 'half-open', trialUnderWay: false };
    }
  }

  #count(faultCount: number): void {
    if (faultCount >= MAX_FAULTS) this.#open();
    else this.#state = { kind: 'closed', faultCount };
  }

  #open(): void {
    this.#state = { kind: 'open', untilMs: this.#clock.monotonicMs() + REST_MS };
  }
}
