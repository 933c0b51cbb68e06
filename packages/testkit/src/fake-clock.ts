/** What a timer of the fake clock gives back; the shape of `Timer` in packages/wire. */
export interface FakeTimer {
  /** Stops the timer; harmless when it has already fired. */
  cancel(): void;
}

interface PendingTimer {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still until a test moves it. Has the shape of `Clock` in packages/wire, which this package must
 * not import: wire's own tests use it.
 */
export class FakeClock {
  #epoch: number;
  #monotonic = 0;
  #created = 0;
  readonly #timers = new Set<PendingTimer>();

  /** @param epochMs wall-clock time to start at, ms since the UNIX epoch. */
  constructor(epochMs = 1_700_000_000_000) {
    this.#epoch = epochMs;
  }

  /** Timers that were set and have neither fired nor been cancelled. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Wall-clock time, ms since the UNIX epoch. */
  epochMs(): number {
    return this.#epoch;
  }

  /** Ms since this clock was made; never goes back. */
  monotonicMs(): number {
    return this.#monotonic;
  }

  /** Calls `callback` once, when `advance` has moved `delayMs` on. A delay below 0 counts as 0, as Node has it. */
  setTimer(callback: () => void, delayMs: number): FakeTimer {
    if (Number.isNaN(delayMs)) throw new RangeError('a timer needs a delay in ms, got NaN');
    const dueMs = this.#monotonic + Math.max(0, delayMs);
    const timer: PendingTimer = { dueMs, order: this.#created++, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /**
   * Moves both clocks on and runs what falls due, earliest first and in order of creation when due together. A timer
   * that a callback sets runs too when it falls due within the same span; each callback sees the time it was due at.
   */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`time only moves forward, got ${ms} ms`);
    const end = this.#monotonic + ms;
    for (let next = this.#nextDue(end); next !== undefined; next = this.#nextDue(end)) {
      this.#timers.delete(next);
      this.#moveTo(next.dueMs);
      next.callback();
    }
    this.#moveTo(end);
  }

  /** Sets the wall clock without moving time: what an operator or NTP does. */
  setEpoch(epochMs: number): void {
    this.#epoch = epochMs;
  }

  /** Moves the wall clock by `ms`, back when negative, without moving time. */
  jumpEpoch(ms: number): void {
    this.#epoch += ms;
  }

  #moveTo(monotonicMs: number): void {
    // A callback may itself have advanced further.
    if (monotonicMs <= this.#monotonic) return;
    this.#epoch += monotonicMs - this.#monotonic;
    this.#monotonic = monotonicMs;
  }

  #nextDue(endMs: number): PendingTimer | undefined {
    let first: PendingTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs > endMs) continue;
      if (first === undefined || timer.dueMs < first.dueMs) first = timer;
      else if (timer.dueMs === first.dueMs && timer.order < first.order) first = timer;
    }
    return first;
  }
}
