import type { Clock } from '@openchambery/daemon';

/** Firebase, "Scale FCM": 10 s at least, then twice as long each time. In ms. */
const FIRST_MS = 10_000;
const MAX_MS = 600_000;
/** What jitter adds at the most, as a part of the wait. */
const JITTER = 0.5;

/** How long to wait after a fault of the service. All faults within one wait are one. */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #stepMs = 0;
  #untilMs = Number.NEGATIVE_INFINITY;

  /** @param random from 0 (included) to 1 (excluded). */
  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The service has failed: how long to wait, in ms. */
  failed(): number {
    const now = this.#clock.monotonicMs();
    if (now >= this.#untilMs) {
      this.#stepMs = this.#stepMs === 0 ? FIRST_MS : Math.min(2 * this.#stepMs, MAX_MS);
      this.#untilMs = now + this.#stepMs;
    }
    return this.#stepMs * (1 + this.#random() * JITTER);
  }

  /** The service has worked. */
  worked(): void {
    this.#stepMs = 0;
    this.#untilMs = Number.NEGATIVE_INFINITY;
  }
}
