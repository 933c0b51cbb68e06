import { WireSocket, type BudgetOwner, type WireConnection, type WireContext } from '@openchambery/wire';

/** What a refused peer is told. */
export interface RefusalClose {
  readonly code: number;
  readonly detail: string;
}

/**
 * Refuses upgrades by a WebSocket close, since a browser cannot read an HTTP status, and keeps an eye on the
 * sockets until they are gone. They hold no place that others could need; the limits on TCP connections bound them.
 */
export class RefusedSockets {
  readonly #context: WireContext;
  readonly #budget: BudgetOwner;
  readonly #sockets = new Set<WireSocket>();
  readonly #emptyWatchers = new Set<() => void>();

  constructor(context: WireContext) {
    this.#context = context;
    this.#budget = context.budget.createOwner();
  }

  /** Refused sockets whose TCP connection is not gone yet. */
  get size(): number {
    return this.#sockets.size;
  }

  /** Completes the handshake, then closes. */
  refuse(connection: WireConnection, { code, detail }: RefusalClose): void {
    const socket = new WireSocket(connection, this.#context, {
      owner: this.#budget,
      listener: {
        onEnd: () => undefined,
        onStall: () => undefined,
        onDrain: () => undefined,
        onGone: () => this.#remove(socket),
      },
    });
    this.#sockets.add(socket);
    socket.close(code, detail);
    socket.start(connection.head);
  }

  /** Calls `watcher` when the last refused socket is gone, until the returned function is called. */
  watchEmpty(watcher: () => void): () => void {
    this.#emptyWatchers.add(watcher);
    return () => void this.#emptyWatchers.delete(watcher);
  }

  #remove(socket: WireSocket): void {
    this.#sockets.delete(socket);
    if (this.#sockets.size > 0) return;
    for (const watcher of this.#emptyWatchers) watcher();
  }
}
