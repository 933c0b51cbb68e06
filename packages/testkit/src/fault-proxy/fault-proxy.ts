import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Inbox } from '../inbox.ts';
import { FlowCounter } from './flow-counter.ts';
import { directionsOf, FaultControls, SOUND_LINK } from './link-faults.ts';
import type { FaultScope, FlowDirection, LinkFaults, Traffic } from './link-faults.ts';
import { ProxiedConnection } from './proxied-connection.ts';
import type { ProxyTarget } from './proxied-connection.ts';

export interface FaultProxyOptions {
  readonly target: ProxyTarget;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** @default any free one */
  readonly port?: number;
  /** Bytes that may wait in the proxy for each direction of a connection: what a delay keeps in flight. @default 262144 */
  readonly maxBufferedBytes?: number;
}

/** How new connections are met. A refused one is refused by the kernel: nobody listens. */
export type MeetMode = 'open' | 'refuse' | 'black-hole';

/** Connections that are held back until they are all there. */
interface Reordering {
  readonly count: number;
  readonly held: ProxiedConnection[];
  readonly resolve: (held: readonly ProxiedConnection[]) => void;
}

/** A TCP proxy between two parties that fails as networks do, when a test says so. */
export class FaultProxy extends FaultControls {
  readonly #host: string;
  readonly #maxBufferedBytes: number;
  readonly #totals = { toTarget: new FlowCounter(), toClient: new FlowCounter() };
  readonly #faults: Record<FlowDirection, LinkFaults> = { toTarget: SOUND_LINK, toClient: SOUND_LINK };
  readonly #connections = new Set<ProxiedConnection>();
  readonly #arrivals = new Inbox<ProxiedConnection>('connections', ({ id, state }) => `#${id} (${state})`);
  #target: ProxyTarget;
  #port: number;
  #server: Server | undefined;
  #mode: MeetMode = 'open';
  #reordering: Reordering | undefined;

  /** @internal `startFaultProxy` makes it. */
  constructor(options: FaultProxyOptions) {
    super();
    this.#target = options.target;
    this.#host = options.host ?? '127.0.0.1';
    this.#port = options.port ?? 0;
    this.#maxBufferedBytes = options.maxBufferedBytes ?? 262_144;
  }

  get port(): number {
    return this.#port;
  }

  /** `host:port`, for URLs. */
  get authority(): string {
    return `${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${this.#port}`;
  }

  /** Connections that are not gone, oldest first. */
  get connections(): readonly ProxiedConnection[] {
    return [...this.#connections];
  }

  /** Connections that were ever accepted. */
  get connectionsTotal(): number {
    return this.#arrivals.total;
  }

  /** Bytes of all connections, past ones too. */
  get traffic(): Traffic {
    return this.#totals;
  }

  /** The next connection that nobody has taken yet. */
  connection(timeoutMs?: number): Promise<ProxiedConnection> {
    return this.#arrivals.take(timeoutMs === undefined ? {} : { timeoutMs });
  }

  /** Where connections go from now on. */
  retarget(target: ProxyTarget): void {
    this.#target = target;
  }

  /** Ends all connections with a FIN; see {@link ProxiedConnection.cut}. */
  cut(scope: FaultScope = 'both'): void {
    for (const connection of this.#connections) connection.cut(scope);
  }

  /** Ends all connections with an RST; see {@link ProxiedConnection.reset}. */
  reset(scope: FaultScope = 'both'): void {
    for (const connection of this.#connections) connection.reset(scope);
  }

  /** How connections are met from now on; those that exist go on. Resolves when it is so. */
  async meetNew(mode: MeetMode): Promise<void> {
    this.#mode = mode;
    if (mode === 'refuse') await this.#stopListening();
    else if (this.#server === undefined) await this.#listen();
  }

  /** Holds the next `count` connections; resolves with them when they are there. `admit` lets each through. */
  holdNext(count: number): Promise<readonly ProxiedConnection[]> {
    if (this.#reordering !== undefined) throw new Error('connections are being held already');
    return new Promise((resolve) => {
      this.#reordering = { count, held: [], resolve };
    });
  }

  /** Lets a held connection through; resolves when the target has accepted it, or refused. */
  admit(connection: ProxiedConnection): Promise<void> {
    return connection.admit(this.#target);
  }

  /**
   * Holds the next connections, as many as `order` has entries, and lets them through in that order: `[2, 0, 1]` begins
   * with the third that came. Resolves with them as they were let through.
   */
  async reorderNext(order: readonly number[]): Promise<readonly ProxiedConnection[]> {
    const isOrder = order.every((index) => Number.isInteger(index) && index >= 0 && index < order.length);
    if (!isOrder || new Set(order).size !== order.length) {
      throw new RangeError('an order names each connection once');
    }
    const held = await this.holdNext(order.length);
    const reordered = order.flatMap((index) => held[index] ?? []);
    for (const connection of reordered) await this.admit(connection);
    return reordered;
  }

  /** Ends everything; resolves when no socket is left. */
  async close(): Promise<void> {
    const gone = this.connections.map((connection) => connection.closed());
    for (const connection of this.#connections) connection.destroy();
    await Promise.all([...gone, this.#stopListening()]);
    this.#arrivals.end('closed');
  }

  /** @internal */
  async start(): Promise<this> {
    await this.#listen();
    return this;
  }

  protected override applyFaults(faults: Partial<LinkFaults>, scope: FaultScope): void {
    for (const direction of directionsOf(scope)) {
      this.#faults[direction] = { ...this.#faults[direction], ...faults };
      for (const connection of this.#connections) connection.change(faults, direction);
    }
  }

  async #listen(): Promise<void> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#meet(socket));
    server.listen({ host: this.#host, port: this.#port });
    await once(server, 'listening');
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Connections that exist live on, so that the server's own `close` event cannot be waited for. */
  async #stopListening(): Promise<void> {
    this.#server?.close();
    this.#server = undefined;
    await new Promise((resolve) => setImmediate(resolve));
  }

  #meet(client: Socket): void {
    const connection = new ProxiedConnection({
      id: this.#arrivals.total + 1,
      client,
      totals: this.#totals,
      faults: this.#faults,
      maxBufferedBytes: this.#maxBufferedBytes,
    });
    this.#connections.add(connection);
    void connection.gone.then(() => this.#connections.delete(connection));
    this.#arrivals.push(connection);
    if (this.#mode === 'black-hole') connection.blackHole();
    else if (this.#reordering === undefined) void this.admit(connection);
    else this.#hold(connection, this.#reordering);
  }

  #hold(connection: ProxiedConnection, reordering: Reordering): void {
    reordering.held.push(connection);
    if (reordering.held.length < reordering.count) return;
    this.#reordering = undefined;
    reordering.resolve(reordering.held);
  }
}

/** Starts a proxy in front of `target`. The caller closes it. */
export function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  return new FaultProxy(options).start();
}
