import type { ServerResponse } from 'node:http';

/** Answers that are not yet written whole. */
export class Answering {
  readonly #responses = new Set<ServerResponse>();
  #onEmpty: (() => void) | undefined;

  add(response: ServerResponse): void {
    this.#responses.add(response);
    response.once('close', () => {
      this.#responses.delete(response);
      if (this.#responses.size === 0) this.#onEmpty?.();
    });
  }

  /** Resolves when there are none, or when the timer that `setTimer` sets calls. */
  whenEmpty(setTimer: (resolve: () => void) => { cancel(): void }): Promise<void> {
    if (this.#responses.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimer(resolve);
      this.#onEmpty = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
