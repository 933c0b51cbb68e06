import type { Clock, Timer } from '@openchambery/tunnel';

interface RunningTimer {
  readonly dueAt: number;
  readonly callback: () => void;
  handle: NodeJS.Timeout;
}

/**
 * The platform's clock, which a test can move on by as much as it likes: sockets and timers go on by themselves, and the
 * long silences of the contract need not be waited for.
 */
export class LeapClock implements Clock {
  readonly #timers = new Set<RunningTimer>();
  #leapedMs = 0;
  /** By how much the wall clock is wrong, in ms; a clock that is slow has less than 0. */
  skewMs: number;

  constructor(skewMs = 0) {
    this.skewMs = skewMs;
  }

  epochMs(): number {
    return Date.now() + this.skewMs;
  }

  monotonicMs(): number {
    return performance.now() + this.#leapedMs;
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    const timer: RunningTimer = {
      dueAt: this.monotonicMs() + Math.max(0, delayMs),
      callback,
      handle: setTimeout(() => this.#fire(timer), delayMs),
    };
    this.#timers.add(timer);
    return {
      cancel: () => {
        clearTimeout(timer.handle);
        this.#timers.delete(timer);
      },
    };
  }

  /** Moves on by `ms` at once, and runs what falls due on the way in its order; the wall clock stays as it is. */
  leap(ms: number): void {
    const end = this.monotonicMs() + ms;
    for (let next = this.#firstDue(end); next !== undefined; next = this.#firstDue(end)) {
      this.#moveTo(next.dueAt);
      this.#fire(next);
    }
    this.#moveTo(end);
    for (const timer of this.#timers) {
      clearTimeout(timer.handle);
      timer.handle = setTimeout(() => this.#fire(timer), timer.dueAt - this.monotonicMs());
    }
  }

  #fire(timer: RunningTimer): void {
    clearTimeout(timer.handle);
    if (this.#timers.delete(timer)) timer.callback();
  }

  #moveTo(monotonicMs: number): void {
    this.#leapedMs += Math.max(0, monotonicMs - this.monotonicMs());
  }

  #firstDue(end: number): RunningTimer | undefined {
    let first: RunningTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueAt <= end && (first === undefined || timer.dueAt < first.dueAt)) first = timer;
    }
    return first;
  }
}
