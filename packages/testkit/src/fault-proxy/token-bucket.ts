/** A bucket holds what passes in this time at most, in ms: smooth enough for tests that look at the rate. */
const BURST_MS = 50;

/** Lets bytes through at a rate. */
export class TokenBucket {
  readonly #bytesPerMs: number;
  readonly #maxTokens: number;
  #tokens: number;
  #filledAt: number;

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#maxTokens = Math.max(1, this.#bytesPerMs * BURST_MS);
    this.#tokens = 0;
    this.#filledAt = performance.now();
  }

  /** How many of `bytes` may pass now; they have passed then. */
  take(bytes: number): number {
    const now = performance.now();
    this.#tokens = Math.min(this.#maxTokens, this.#tokens + (now - this.#filledAt) * this.#bytesPerMs);
    this.#filledAt = now;
    const taken = Math.min(bytes, Math.floor(this.#tokens));
    this.#tokens -= taken;
    return taken;
  }

  /** How long to wait, in ms, until it is worth asking again for `bytes`. */
  waitMs(bytes: number): number {
    const wanted = Math.min(bytes, Math.max(1, this.#maxTokens / 2));
    return Math.max(1, (wanted - this.#tokens) / this.#bytesPerMs);
  }
}
