import { type Clock, LinkedList, type ListNode } from '@openchambery/daemon';

/** Tokens held at once; beyond it the one held for longest is let go. */
const MAX_HOLDS = 10_000;
/** Nobody is held for longer than this, whatever a service asks. In ms. */
const MAX_HOLD_MS = 3_600_000;

interface Hold {
  readonly id: string;
  readonly untilMs: number;
}

/** Tokens about which a service has asked to be left alone for a while (`retry-after`). Constant time for every call. */
export class TokenHolds {
  readonly #clock: Clock;
  readonly #places = new Map<string, ListNode<Hold>>();
  /** The longest held first. */
  readonly #byAge = new LinkedList<Hold>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tokens held, those whose time is over included until they are asked about. */
  get size(): number {
    return this.#places.size;
  }

  /** Holds a token for so many ms. `id` names token and environment. */
  hold(id: string, ms: number): void {
    this.#release(id);
    const untilMs = this.#clock.monotonicMs() + Math.min(ms, MAX_HOLD_MS);
    this.#places.set(id, this.#byAge.append({ id, untilMs }));
    const oldest = this.#byAge.first;
    if (this.#places.size > MAX_HOLDS && oldest !== undefined) this.#release(oldest.value.id);
  }

  /** How long a token is still held, in ms; 0 when it is not. */
  restMs(id: string): number {
    const place = this.#places.get(id);
    if (place === undefined) return 0;
    const restMs = place.value.untilMs - this.#clock.monotonicMs();
    if (restMs > 0) return restMs;
    this.#release(id);
    return 0;
  }

  #release(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#byAge.remove(place);
    this.#places.delete(id);
  }
}
