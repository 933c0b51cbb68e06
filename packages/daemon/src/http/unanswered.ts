import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Counts, for each connection, the requests whose answer the kernel has not taken whole. */
export class Unanswered {
  readonly #counts = new WeakMap<Socket, number>();

  count(socket: Socket): number {
    return this.#counts.get(socket) ?? 0;
  }

  add(socket: Socket, response: ServerResponse): void {
    this.#counts.set(socket, this.count(socket) + 1);
    response.once('finish', () => void this.#counts.set(socket, this.count(socket) - 1));
  }
}
