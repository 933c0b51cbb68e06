import { clientQuery, makeIdentity, signedQuery } from './host-identity.ts';
import type { HostIdentity, QueryOverrides } from './host-identity.ts';
import { Peer } from './ws-peer.ts';
import type { PeerOptions } from './ws-peer.ts';

/** What the relay says on a control socket. */
export interface ControlMessage {
  readonly type: string;
  readonly connectionId?: string;
  readonly connectionIds?: readonly string[];
}

export interface HostOptions extends PeerOptions {
  /** @default a fresh one */
  readonly identity?: HostIdentity;
  readonly ts?: number | string;
  readonly overrides?: QueryOverrides;
}

/** A Host as the relay sees it: one control socket and any number of data sockets. */
export class TestHost {
  readonly identity: HostIdentity;
  readonly control: Peer;
  readonly #url: string;
  readonly #options: HostOptions;

  /** @param url the relay's WebSocket URL without a query. */
  constructor(url: string, options: HostOptions = {}) {
    this.identity = options.identity ?? makeIdentity();
    this.#url = url;
    this.#options = options;
    const { ts, overrides } = options;
    const query = signedQuery({ identity: this.identity, role: 'host-control', ts, overrides });
    this.control = new Peer('host-control', `${url}?${query}`, options);
  }

  /** A Host that has been attached: its first message was a sync. */
  static async connect(url: string, options: HostOptions = {}): Promise<TestHost> {
    const host = new TestHost(url, options);
    await host.control.opened();
    await host.next('sync');
    return host;
  }

  get serverId(): string {
    return this.identity.serverId;
  }

  /** The next control message, which must be of `type`. */
  async next(type: string, timeoutMs?: number): Promise<ControlMessage> {
    const text = await this.control.text(timeoutMs);
    const message = JSON.parse(text) as ControlMessage;
    if (message.type !== type) throw new Error(`expected ${type}, got ${text}`);
    return message;
  }

  /** The connectionId of the next control message, which must be of `type`. */
  async nextId(type: 'connected' | 'disconnected', timeoutMs?: number): Promise<string> {
    const { connectionId } = await this.next(type, timeoutMs);
    if (connectionId === undefined) throw new Error(`${type} without a connectionId`);
    return connectionId;
  }

  /** Opens a data socket for `connectionId`. That it is open does not mean it was accepted. */
  attach(connectionId: string, overrides: QueryOverrides = {}, options: PeerOptions = {}): Promise<Peer> {
    const { identity } = this;
    const query = signedQuery({ identity, role: 'host-data', connectionId, overrides });
    return new Peer('host-data', `${this.#url}?${query}`, { ...this.#options, ...options }).opened();
  }
}

/** A Client as the relay sees it. */
export class TestClient extends Peer {
  /** @param url the relay's WebSocket URL without a query. */
  constructor(
    url: string,
    serverId: string,
    options: PeerOptions & { readonly overrides?: QueryOverrides } = {},
  ) {
    super('client', `${url}?${clientQuery(serverId, options.overrides)}`, options);
  }

  /** A Client whose handshake is done. That it is open does not mean it was accepted. */
  static connect(
    url: string,
    serverId: string,
    options: PeerOptions & { readonly overrides?: QueryOverrides } = {},
  ): Promise<TestClient> {
    return new TestClient(url, serverId, options).opened();
  }
}

/** A ready pair. */
export interface TestPair {
  readonly client: TestClient;
  readonly data: Peer;
  readonly connectionId: string;
}

/** Connects a Client to `host` and attaches its data socket. */
export async function openPair(url: string, host: TestHost, options: PeerOptions = {}): Promise<TestPair> {
  const client = await TestClient.connect(url, host.serverId, options);
  const connectionId = await host.nextId('connected');
  const data = await host.attach(connectionId);
  return { client, data, connectionId };
}
