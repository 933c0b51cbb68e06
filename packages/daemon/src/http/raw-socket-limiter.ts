import type { Socket } from 'node:net';
import { normaliseIp, UNKNOWN_IP } from '../address/client-ip.ts';
import { GroupedSet } from '../collections/grouped-set.ts';
import type { ConnectionDropped } from './connection-dropped.ts';
import type { RawSocketLimits } from './listener-limits.ts';

/** Bounds TCP connections, all together and for each TCP peer, whatever they are used for. */
export class RawSocketLimiter {
  readonly #limits: RawSocketLimits;
  readonly #onDrop: (drop: ConnectionDropped) => void;
  /** Open connections and their TCP peers. */
  readonly #peers = new Map<Socket, string>();
  readonly #byPeer = new GroupedSet<string, Socket>();

  /** One function for all sockets: an idle connection should cost little. */
  readonly #onClose: (this: Socket) => void;

  constructor(limits: RawSocketLimits, onDrop: (drop: ConnectionDropped) => void) {
    this.#limits = limits;
    this.#onDrop = onDrop;
    const remove = (socket: Socket): void => this.#remove(socket);
    this.#onClose = function onClose() {
      remove(this);
    };
  }

  /** TCP connections open now. */
  get size(): number {
    return this.#peers.size;
  }

  /** Keeps a new connection in the books, or destroys it. */
  accept(socket: Socket): void {
    const peer = normaliseIp(socket.remoteAddress ?? '') ?? UNKNOWN_IP;
    const drop = this.#checkLimits(peer);
    if (drop === undefined) {
      this.#add(socket, peer);
      return;
    }
    socket.destroy();
    this.#onDrop(drop);
  }

  /** The same connection goes on under another socket. */
  replace(old: Socket, fresh: Socket): void {
    const peer = this.#peers.get(old);
    if (peer === undefined || fresh === old) return;
    this.#remove(old);
    this.#add(fresh, peer);
  }

  /** Destroys every connection that is left. Resolves when all are gone. */
  async destroyAll(): Promise<void> {
    const gone = [...this.#peers.keys()].map(
      (socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve()).destroy()),
    );
    await Promise.all(gone);
  }

  #checkLimits(ip: string): ConnectionDropped | undefined {
    const { maxRawSockets, maxRawSocketsPerIp } = this.#limits;
    if (this.#peers.size >= maxRawSockets) {
      return { ip, cause: 'raw-sockets', detail: `limit: MAX_RAW_SOCKETS (${maxRawSockets}) reached` };
    }
    if (this.#byPeer.count(ip) < maxRawSocketsPerIp) return undefined;
    const detail = `limit: MAX_RAW_SOCKETS_PER_IP (${maxRawSocketsPerIp}) reached`;
    return { ip, cause: 'raw-sockets-per-ip', detail };
  }

  #add(socket: Socket, peer: string): void {
    this.#peers.set(socket, peer);
    this.#byPeer.add(peer, socket);
    socket.on('close', this.#onClose);
  }

  #remove(socket: Socket): void {
    const peer = this.#peers.get(socket);
    if (peer === undefined) return;
    this.#peers.delete(socket);
    this.#byPeer.delete(peer, socket);
  }
}
