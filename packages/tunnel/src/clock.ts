/** A running timer. */
export interface Timer {
  /** Stops the timer; harmless when it has already fired. */
  cancel(): void;
}

/** Where time comes from. Injected everywhere, so that tests can own it. */
export interface Clock {
  /** Wall-clock time in ms since the UNIX epoch; may jump when the machine's clock is set. */
  epochMs(): number;
  /** Time in ms from an arbitrary start; never goes back. */
  monotonicMs(): number;
  /** Calls `callback` once, `delayMs` from now. */
  setTimer(callback: () => void, delayMs: number): Timer;
}

/** The platform's own clock. Its timers keep a Node process alive: a Host that waits to reconnect is at work. */
export const systemClock: Clock = {
  epochMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(callback: () => void, delayMs: number): Timer {
    const handle = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};
