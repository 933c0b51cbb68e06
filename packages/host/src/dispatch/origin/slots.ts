/** A number of places, and a line of those who wait for one. A line is as long as there are streams. */
export class Slots {
  readonly #size: number;
  #taken = 0;
  /** In order of arrival. */
  readonly #waiting = new Set<() => void>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Takes a place, once there is one; `false`: `signal` was aborted before that. A place must be given back. */
  async take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) {
      return false;
    }
    if (this.#taken < this.#size) {
      this.#taken += 1;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const takeOver = () => resolve(true);
    const leave = () => {
      // Not among those who wait: a place was handed over already, and is given back by whoever took it.
      if (this.#waiting.delete(takeOver)) {
        resolve(false);
      }
    };
    this.#waiting.add(takeOver);
    signal.addEventListener('abort', leave, { once: true });
    const isTaken = await promise;
    signal.removeEventListener('abort', leave);
    return isTaken;
  }

  /** Gives a place back: to whoever has waited longest. */
  giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
    } else {
      this.#waiting.delete(next);
      next();
    }
  }
}
