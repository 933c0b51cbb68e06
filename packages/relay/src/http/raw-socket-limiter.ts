import type { Socket } from 'node:net';
import type { RelayLimits } from '../limits.ts';
import { GroupedSet } from '../routing/grouped-set.ts';
import { normaliseIp, UNKNOWN_IP } from '../upgrade/client-ip.ts';

/** Bounds TCP connections, all together and for each TCP peer, whatever they are used for. */
export class RawSocketLimiter {
  readonly #limits: RelayLimits;
  readonly #onDrop: () => void;
  readonly #sockets = new Set<Socket>();
  readonly #byPeer = new GroupedSet<string, Socket>();

  constructor(limits: RelayLimits, onDrop: () => void) {
    this.#limits = limits;
    this.#onDrop = onDrop;
  }

  /** TCP connections open now. */
  get size(): number {
    return this.#sockets.size;
  }

  /** Keeps a new connection in the books, or destroys it. */
  accept(socket: Socket): void {
    const peer = normaliseIp(socket.remoteAddress ?? '') ?? UNKNOWN_IP;
    const { maxRawSockets, maxRawSocketsPerIp } = this.#limits;
    if (this.#sockets.size >= maxRawSockets || this.#byPeer.count(peer) >= maxRawSocketsPerIp) {
      this.#onDrop();
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    this.#byPeer.add(peer, socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#byPeer.delete(peer, socket);
    });
  }

  /** Destroys every connection that is left. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
