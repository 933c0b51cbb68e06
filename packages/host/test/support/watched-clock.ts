import { FakeClock, type FakeTimer } from '@openchambery/testkit';

/** A fake clock that tells which timers run, by what they were set to: enough to know what a Host is waiting for. */
export class WatchedClock extends FakeClock {
  readonly #delays = new Map<FakeTimer, number>();

  /** Delays of the timers that run, in ms, as they were set, smallest first. */
  get delays(): readonly number[] {
    return [...this.#delays.values()].toSorted((one, other) => one - other);
  }

  override setTimer(callback: () => void, delayMs: number): FakeTimer {
    const inner = super.setTimer(() => {
      this.#delays.delete(inner);
      callback();
    }, delayMs);
    this.#delays.set(inner, delayMs);
    return {
      cancel: () => {
        inner.cancel();
        this.#delays.delete(inner);
      },
    };
  }
}
