import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { destroyInTime, type EndTiming } from './last-answer.ts';
import { ignoreBody } from './parser-guard.ts';

/** Its last answer is still to come; its last answer is written. */
type LingeringState = 'deaf' | 'ending';

function forget(): void {
  // Read only so that TCP does not answer it with a reset, which would overtake our answer.
}

/** Lets a connection that HTTP has paused flow past HTTP. */
function discardAll(socket: Socket): void {
  // As long as Node's parser holds on to the connection, only http starts to read again: on `resume`.
  socket.once('resume', () => {
    const listeners = socket.listeners('data') as ((chunk: Buffer) => void)[];
    // With a listener for `data`, the parser lets go.
    socket.on('data', forget);
    for (const listener of listeners) socket.off('data', listener);
  });
  socket.pause().resume();
}

/**
 * Connections that end although their peers still send. What they send is read without a look and thrown away until
 * they have heard the end, or for CLOSE_DEADLINE_MS: closed with bytes unread, TCP would send a reset, and the peer
 * might lose the answer (RFC 9112 section 9.6).
 */
export class LingeringSockets {
  readonly #timing: EndTiming;
  readonly #states = new WeakMap<Socket, LingeringState>();
  /** The latest request with a body: those before it are complete. */
  readonly #latest = new WeakMap<Socket, IncomingMessage>();

  constructor(timing: EndTiming) {
    this.#timing = timing;
  }

  has(socket: Socket): boolean {
    return this.#states.has(socket);
  }

  /** Takes a connection's bytes away from HTTP, those too that are just being parsed; answers can still be written. */
  deafen(socket: Socket): void {
    if (this.#states.has(socket) || socket.destroyed) return;
    this.#states.set(socket, 'deaf');
    socket.pause();
    const heedAgain = ignoreBody(socket);
    // Node runs ticks and microtasks after each piece of a body; only in the next turn does the parser rest.
    setImmediate(() => {
      heedAgain();
      if (!socket.destroyed) discardAll(socket);
    });
  }

  /** Ends a connection whose last answer is written. */
  end(socket: Socket): void {
    this.deafen(socket);
    if (socket.destroyed || this.#states.get(socket) === 'ending') return;
    this.#states.set(socket, 'ending');
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
