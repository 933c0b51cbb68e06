import { type Clock, LinkedList, type ListNode } from '@openchambery/daemon';
import { TimeRing } from './time-ring.ts';

/** What a {@link SlidingWindow} needs. */
export interface SlidingWindowOptions {
  readonly clock: Clock;
  /** Length of the window in ms. */
  readonly windowMs: number;
  /** Most uses by one key in any window. */
  readonly max: number;
  /** Most keys kept; beyond it the one that was quiet for longest is forgotten, at least 1. */
  readonly maxKeys: number;
}

/** Whether one more use is within the limit. */
export type Permit =
  | {
      readonly ok: true;
      /** Takes the use back, as if it had not been; once, and in the time of its window. */
      readonly giveBack: () => void;
    }
  | {
      readonly ok: false;
      /** When the next use is within the limit, in ms from now. */
      readonly retryAfterMs: number;
    };

interface Uses {
  readonly key: string;
  readonly times: TimeRing;
  place: ListNode<Uses> | undefined;
}

/** Lets each key through at most so many times in any window of so many ms. Constant time for every call. */
export class SlidingWindow {
  readonly #options: SlidingWindowOptions;
  readonly #uses = new Map<string, Uses>();
  /** The longest quiet first. */
  readonly #byQuiet = new LinkedList<Uses>();

  constructor(options: SlidingWindowOptions) {
    this.#options = options;
  }

  /** Keys held, those whose window is over included until the next call. */
  get size(): number {
    return this.#uses.size;
  }

  /** Counts one use, unless it is one too many; those do not count. */
  take(key: string): Permit {
    const { clock, windowMs, max, maxKeys } = this.#options;
    const now = clock.monotonicMs();
    this.#forgetQuiet(now - windowMs);
    const uses = this.#uses.get(key) ?? this.#open(key);
    uses.times.dropUntil(now - windowMs);
    if (uses.times.size >= max) {
      return { ok: false, retryAfterMs: uses.times.oldest + windowMs - now };
    }
    uses.times.append(now);
    if (uses.place !== undefined) this.#byQuiet.remove(uses.place);
    uses.place = this.#byQuiet.append(uses);
    if (this.#uses.size > maxKeys) this.#forgetFirst();
    let isGivenBack = false;
    return {
      ok: true,
      giveBack: () => {
        if (!isGivenBack) uses.times.drop(now);
        isGivenBack = true;
      },
    };
  }

  /** Whether the key is at its limit; changes nothing. */
  isFull(key: string): boolean {
    const { clock, windowMs, max } = this.#options;
    const uses = this.#uses.get(key);
    if (uses === undefined) return false;
    uses.times.dropUntil(clock.monotonicMs() - windowMs);
    return uses.times.size >= max;
  }

  #open(key: string): Uses {
    const uses: Uses = { key, times: new TimeRing(this.#options.max), place: undefined };
    this.#uses.set(key, uses);
    return uses;
  }

  #forgetQuiet(until: number): void {
    for (let first = this.#byQuiet.first; first !== undefined; first = this.#byQuiet.first) {
      if (first.value.times.newest > until) return;
      this.#forgetFirst();
    }
  }

  #forgetFirst(): void {
    const first = this.#byQuiet.first;
    if (first === undefined) return;
    this.#byQuiet.remove(first);
    this.#uses.delete(first.value.key);
  }
}
