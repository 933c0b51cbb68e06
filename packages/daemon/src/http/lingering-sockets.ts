import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { destroyInTime, type EndTiming } from './last-answer.ts';

function forget(): void {
  // Read only so that TCP does not answer it with a reset, which would overtake our answer.
}

/**
 * Connections that end although their peers still send. What they send is read without a look and thrown away until
 * they have heard the end, or for CLOSE_DEADLINE_MS: closed with bytes unread, TCP would send a reset, and the peer
 * might lose the answer (RFC 9112 section 9.6).
 */
export class LingeringSockets {
  readonly #timing: EndTiming;
  readonly #sockets = new WeakSet<Socket>();
  /** The latest request with a body: those before it are complete. */
  readonly #latest = new WeakMap<Socket, IncomingMessage>();

  constructor(timing: EndTiming) {
    this.#timing = timing;
  }

  has(socket: Socket): boolean {
    return this.#sockets.has(socket);
  }

  /** Takes a connection's bytes away from HTTP; answers can still be written. */
  deafen(socket: Socket): void {
    if (this.#sockets.has(socket) || socket.destroyed) return;
    this.#sockets.add(socket);
    const listeners = socket.listeners('data') as ((chunk: Buffer) => void)[];
    // With a listener for `data`, Node's parser lets go of the connection.
    socket.on('data', forget);
    for (const listener of listeners) socket.off('data', listener);
    socket.resume();
  }

  /** Ends a connection whose last answer is written. */
  end(socket: Socket): void {
    this.deafen(socket);
    if (socket.destroyed) return;
    destroyInTime(socket, this.#timing);
    if (socket.readableEnded) Socket.prototype.destroySoon.call(socket);
    else socket.once('end', () => Socket.prototype.destroySoon.call(socket)).end();
  }

  /** Sees to it that Node ends a connection in this way if it does before it has all of this request. */
  watch(request: IncomingMessage): void {
    const { socket } = request;
    const isWatched = this.#latest.has(socket);
    this.#latest.set(socket, request);
    if (isWatched) return;
    // Node's http calls this, and nothing else, once the last answer is written.
    socket.destroySoon = () => {
      const isRead = this.#latest.get(socket)?.complete ?? true;
      if (isRead && !this.has(socket)) Socket.prototype.destroySoon.call(socket);
      else this.end(socket);
    };
  }
}
