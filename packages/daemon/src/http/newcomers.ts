import type { Socket } from 'node:net';
import type { Clock } from '@openchambery/wire';

/** How long those who have said nothing yet are waited for, in ms. */
const PATIENCE_MS = 500;

/** Connections that have not had their first answer: to close one of them is to refuse it. */
export class Newcomers {
  readonly #clock: Clock;
  readonly #sockets = new Set<Socket>();
  #onEmpty: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.delete(socket));
  }

  delete(socket: Socket): void {
    this.#sockets.delete(socket);
    if (this.#sockets.size === 0) this.#onEmpty();
  }

  /** Resolves when there are none, or after 500 ms. */
  whenEmpty(): Promise<void> {
    if (this.#sockets.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(resolve, PATIENCE_MS);
      this.#onEmpty = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
