import type { Socket } from 'node:net';
import type { WireContext } from './wire-context.ts';

/** What a frame costs beside its bytes, in bytes: a read of empty frames is far more work than one of large ones. */
const FRAME_COST_BYTES = 64;

/**
 * Decides whether a socket is read: not while its receiver is full, and not beyond its share of one turn of the
 * event loop. Not reading makes TCP push back on the peer.
 */
export class ReadGate {
  readonly #socket: Socket;
  readonly #context: WireContext;
  #targetIsFull = false;
  /** Set while and since the target was full, until `takeShut` asks. */
  #wasShut = false;
  #turnIsOver = false;
  #turnBytes = 0;

  constructor(socket: Socket, context: WireContext) {
    this.#socket = socket;
    this.#context = context;
  }

  /** Whether the socket is not being read now. */
  get isShut(): boolean {
    return this.#targetIsFull || this.#turnIsOver;
  }

  /** Whether the socket was not read at some time since the last call: what its peer did then, nobody can know. */
  takeShut(): boolean {
    const wasShut = this.#wasShut || this.isShut;
    this.#wasShut = this.#targetIsFull;
    return wasShut;
  }

  /** Stops reading until `reopen`: what was read finds no room. */
  shut(): void {
    if (this.#targetIsFull) return;
    this.#targetIsFull = true;
    this.#wasShut = true;
    this.#context.pausedSources.add(this);
    this.#socket.pause();
  }

  /** There is room again. */
  reopen(): void {
    if (!this.#targetIsFull) return;
    this.#targetIsFull = false;
    this.#context.pausedSources.delete(this);
    if (!this.#turnIsOver) this.#socket.resume();
  }

  /**
   * Counts what was read, in bytes and in frames; when the share of this turn is used up, the next read waits for
   * the next turn.
   */
  count(bytes: number, frames: number): void {
    // libuv reads a socket again in the same turn only when a read filled the buffer.
    const isLast = bytes < this.#context.readBuffer.length;
    this.#turnBytes = isLast ? 0 : this.#turnBytes + bytes + frames * FRAME_COST_BYTES;
    if (this.#turnBytes < this.#context.limits.quantumBytes || this.#turnIsOver) return;
    this.#turnIsOver = true;
    this.#socket.pause();
    this.#context.nextTurn(() => {
      this.#turnIsOver = false;
      this.#turnBytes = 0;
      if (!this.#targetIsFull && !this.#socket.destroyed) this.#socket.resume();
    });
  }
}
