import type { Clock } from '../clock.ts';

/** Questions whether the peer still lives, each with its own time limit. */
export class Probes {
  readonly #clock: Clock;
  readonly #waiting = new Set<(isAlive: boolean) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves to whether `settle(true)` is called in time. @param isExcused asked at the end: whether silence proves nothing */
  ask(timeoutMs: number, isExcused: () => boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const answer = (isAlive: boolean): void => {
        this.#waiting.delete(answer);
        timer.cancel();
        resolve(isAlive);
      };
      const timer = this.#clock.setTimer(() => answer(isExcused()), timeoutMs);
      this.#waiting.add(answer);
    });
  }

  /** Answers all questions. */
  settle(isAlive: boolean): void {
    if (this.#waiting.size === 0) return;
    for (const answer of this.#waiting) answer(isAlive);
  }
}
