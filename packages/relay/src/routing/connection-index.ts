import type { ClientConnection } from './client-connection.ts';
import { GroupedSet } from '@openchambery/daemon';
import type { Host } from './host.ts';

/** Every Client that is routed now, counted in the ways that limits ask for. */
export class ConnectionIndex {
  readonly #all = new Set<ClientConnection>();
  readonly #pending = new Set<ClientConnection>();
  readonly #byIp = new GroupedSet<string, ClientConnection>();
  readonly #pendingByIp = new GroupedSet<string, ClientConnection>();
  readonly #pendingByHost = new GroupedSet<Host, ClientConnection>();

  /** Clients, pending and paired. */
  get size(): number {
    return this.#all.size;
  }

  /** Clients whose Host has not attached yet. */
  get pendingSize(): number {
    return this.#pending.size;
  }

  countForIp(ip: string): number {
    return this.#byIp.count(ip);
  }

  countPendingForIp(ip: string): number {
    return this.#pendingByIp.count(ip);
  }

  countPendingForHost(host: Host): number {
    return this.#pendingByHost.count(host);
  }

  /** A Client arrived and waits for its Host. */
  addPending(connection: ClientConnection): void {
    this.#all.add(connection);
    this.#byIp.add(connection.ip, connection);
    this.#pending.add(connection);
    this.#pendingByIp.add(connection.ip, connection);
    this.#pendingByHost.add(connection.host, connection);
  }

  /** The Client waits no longer. */
  endPending(connection: ClientConnection): void {
    this.#pending.delete(connection);
    this.#pendingByIp.delete(connection.ip, connection);
    this.#pendingByHost.delete(connection.host, connection);
  }

  /** The Client is routed no longer. */
  remove(connection: ClientConnection): void {
    this.endPending(connection);
    this.#all.delete(connection);
    this.#byIp.delete(connection.ip, connection);
  }
}
