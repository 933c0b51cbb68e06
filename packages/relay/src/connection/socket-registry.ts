import type { Role } from '@openchambery/protocol';
import type { Heartbeat } from './heartbeat.ts';
import type { RelaySocket } from './relay-socket.ts';

/** How many accepted sockets there are, by role. */
export type SocketCounts = Readonly<Record<Role, number>>;

/** Every accepted socket until its TCP connection is gone, and under the heartbeat that long. */
export class SocketRegistry {
  readonly #byRole: Readonly<Record<Role, Set<RelaySocket>>> = {
    client: new Set(),
    'host-control': new Set(),
    'host-data': new Set(),
  };
  readonly #heartbeat: Heartbeat;
  readonly #removalWatchers = new Set<(socket: RelaySocket) => void>();

  constructor(heartbeat: Heartbeat) {
    this.#heartbeat = heartbeat;
  }

  get size(): number {
    return this.#byRole.client.size + this.#byRole['host-control'].size + this.#byRole['host-data'].size;
  }

  /** Sockets by role. */
  counts(): SocketCounts {
    return {
      client: this.#byRole.client.size,
      'host-control': this.#byRole['host-control'].size,
      'host-data': this.#byRole['host-data'].size,
    };
  }

  has(socket: RelaySocket): boolean {
    return this.#byRole[socket.party.role].has(socket);
  }

  add(socket: RelaySocket): void {
    this.#byRole[socket.party.role].add(socket);
    this.#heartbeat.add(socket);
  }

  remove(socket: RelaySocket): void {
    this.#byRole[socket.party.role].delete(socket);
    this.#heartbeat.remove(socket);
    for (const watcher of this.#removalWatchers) watcher(socket);
  }

  /** Calls `watcher` for every socket that goes, until the returned function is called. */
  watchRemovals(watcher: (socket: RelaySocket) => void): () => void {
    this.#removalWatchers.add(watcher);
    return () => void this.#removalWatchers.delete(watcher);
  }

  /** A copy, so that closing may change the registry. */
  all(): RelaySocket[] {
    return Object.values(this.#byRole).flatMap((sockets) => [...sockets]);
  }
}
