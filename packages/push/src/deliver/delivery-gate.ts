/** Lets so many deliveries run at once, and so many more wait their turn. */
export class DeliveryGate {
  readonly #max: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  /** First of {@link #waiting} that still waits; the rest is cut off now and then. */
  #next = 0;
  #active = 0;

  /**
   * @param max deliveries at once; at least 1
   * @param maxWaiting deliveries that may wait
   */
  constructor(max: number, maxWaiting: number = max) {
    this.#max = max;
    this.#maxWaiting = maxWaiting;
  }

  /** Deliveries under way. */
  get activeCount(): number {
    return this.#active;
  }

  /** Deliveries that wait. */
  get waitingCount(): number {
    return this.#waiting.length - this.#next;
  }

  /**
   * Runs `delivery` when its turn comes, first come, first served; `undefined`, at once, when too many wait. There is
   * no deadline here: every delivery ends by itself, so each turn comes.
   */
  run<Result>(delivery: () => Promise<Result>): Promise<Result> | undefined {
    if (this.#active < this.#max) {
      this.#active++;
      return this.#runNow(delivery);
    }
    if (this.waitingCount >= this.#maxWaiting) return undefined;
    return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() => this.#runNow(delivery));
  }

  async #runNow<Result>(delivery: () => Promise<Result>): Promise<Result> {
    try {
      return await delivery();
    } finally {
      this.#leave();
    }
  }

  /** The place goes straight to whoever waits longest, so that nobody can slip in between. */
  #leave(): void {
    const first = this.#waiting[this.#next];
    if (first === undefined) {
      this.#active--;
      return;
    }
    this.#next++;
    if (this.#next === this.#waiting.length || this.#next >= this.#max) {
      this.#waiting.splice(0, this.#next);
      this.#next = 0;
    }
    first();
  }
}
