import type { Clock, Timer } from '@openchambery/wire';
import { FakeClock } from '@openchambery/testkit';

/**
 * Time and turns of the event loop, in the hands of a schedule. What the relay throws in a callback is kept for
 * the schedule to report, instead of ending the process.
 */
export class Stage {
  readonly #fake: FakeClock = new FakeClock();
  readonly #due = new Set<{ readonly atMs: number }>();
  #turns: (() => void)[] = [];
  #failures: string[] = [];

  /** The relay's clock. */
  readonly clock: Clock = {
    epochMs: () => this.#fake.epochMs(),
    monotonicMs: () => this.#fake.monotonicMs(),
    setTimer: (callback, delayMs) => this.#setTimer(callback, delayMs),
  };

  /** The relay's way into the next turn. */
  readonly nextTurn = (callback: () => void): void => {
    this.#turns.push(callback);
  };

  get now(): number {
    return this.#fake.monotonicMs();
  }

  get pendingTimers(): number {
    return this.#fake.pendingTimers;
  }

  get pendingTurns(): number {
    return this.#turns.length;
  }

  /** When the next timer is due, in ms of `now`; undefined when none is set. */
  get nextDueMs(): number | undefined {
    let first: number | undefined;
    for (const { atMs } of this.#due) if (first === undefined || atMs < first) first = atMs;
    return first;
  }

  /** What went wrong so far. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  fail(what: string): void {
    this.#failures.push(what);
  }

  /** Runs `action`; what it throws becomes a failure. */
  guard(where: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.fail(`${where} threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }

  /** Moves time, and runs every timer on the way. */
  moveTo(atMs: number): void {
    this.#fake.advance(Math.max(0, atMs - this.now));
  }

  /** Runs what was put off until this turn; what is put off meanwhile waits for the next one. */
  runTurn(): boolean {
    const callbacks = this.#turns;
    this.#turns = [];
    for (const callback of callbacks) this.guard('a callback of the next turn', callback);
    return callbacks.length > 0;
  }

  #setTimer(callback: () => void, delayMs: number): Timer {
    const entry = { atMs: this.now + Math.max(0, delayMs) };
    this.#due.add(entry);
    const timer = this.#fake.setTimer(() => {
      this.#due.delete(entry);
      this.guard('a timer', callback);
    }, delayMs);
    return {
      cancel: () => {
        this.#due.delete(entry);
        timer.cancel();
      },
    };
  }
}
