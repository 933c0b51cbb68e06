import type { ControlMessage } from '@openchambery/protocol';
import type { HostStreamHandlers, TunnelTraffic } from '@openchambery/tunnel';
import type { OpenDoor } from '../relay/relay-door.ts';
import {
  DataConnection,
  type DataConnectionListener,
  type DataConnectionOptions,
} from './data-connection.ts';

/** What the connections of a Host tell, each by its Client's id. */
export interface DataConnectionsListener {
  /** What a Client's streams go to; asked for once per Client. */
  handlersFor(connectionId: string): HostStreamHandlers;
  onOpened(connectionId: string): void;
  /** Only for connections that were opened. */
  onClosed(connectionId: string, reason: string): void;
  /** Something went wrong with a Client's connection; `reason` is for people. */
  onFault(reason: string): void;
}

/** What they work with. */
export interface DataConnectionsOptions extends Omit<DataConnectionOptions, 'connectionId'> {
  readonly openDoor: OpenDoor;
  /** More Clients than this are left waiting, until the relay turns them away. */
  readonly maxConnections: number;
}

/** All data connections of a Host, by the ids that the relay gave their Clients. */
export class DataConnections {
  readonly #options: DataConnectionsOptions;
  readonly #listener: DataConnectionsListener;
  readonly #connections = new Map<string, DataConnection>();
  /** With those that have ended and still say goodbye to the relay. */
  #socketHolders = 0;
  #onEmpty: (() => void)[] = [];
  #ended = { sentBytes: 0, receivedBytes: 0 };
  #turnedAway = 0;

  constructor(options: DataConnectionsOptions, listener: DataConnectionsListener) {
    this.#options = options;
    this.#listener = listener;
  }

  /** Clients whose encrypted channel stands. */
  get openCount(): number {
    let count = 0;
    for (const connection of this.#connections.values()) if (connection.isOpen) count += 1;
    return count;
  }

  /** Clients that came when there were `maxConnections` already. */
  get turnedAwayCount(): number {
    return this.#turnedAway;
  }

  /** Sums over all connections there were. */
  get traffic(): TunnelTraffic {
    let { sentBytes, receivedBytes } = this.#ended;
    let openStreams = 0;
    for (const { traffic } of this.#connections.values()) {
      sentBytes += traffic.sentBytes;
      receivedBytes += traffic.receivedBytes;
      openStreams += traffic.openStreams;
    }
    return { sentBytes, receivedBytes, openStreams };
  }

  /** Does what the relay's news of its Clients ask for. */
  onControlMessage(message: ControlMessage): void {
    switch (message.type) {
      case 'sync':
        this.#sync(new Set(message.connectionIds));
        break;
      case 'connected':
        this.#announce(message.connectionId);
        break;
      case 'disconnected':
        this.#connections.get(message.connectionId)?.clientGone();
    }
  }

  /** Ends one Client's connection, if it has one. */
  close(connectionId: string, reason: string): void {
    this.#connections.get(connectionId)?.close(1000, reason);
  }

  /** Ends all; resolves when their sockets are gone. No more may be announced. */
  closeAll(reason: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#socketHolders === 0) resolve();
    else this.#onEmpty.push(resolve);
    for (const connection of this.#connections.values()) connection.close(1001, reason);
    return promise;
  }

  /** The relay lists all it holds: what it does not list is over, even where its close never reached this Host. */
  #sync(listed: ReadonlySet<string>): void {
    for (const [connectionId, connection] of this.#connections) {
      if (!listed.has(connectionId)) connection.clientGone();
    }
    for (const connectionId of listed) this.#announce(connectionId);
  }

  #announce(connectionId: string): void {
    if (this.#connections.has(connectionId)) return;
    if (this.#connections.size >= this.#options.maxConnections) {
      this.#turnedAway += 1;
      this.#listener.onFault(`a Client was left out: there are ${this.#options.maxConnections} already`);
      return;
    }
    const connection: DataConnection = new DataConnection(
      { ...this.#options, connectionId },
      this.#listen(connectionId, () => connection),
    );
    this.#connections.set(connectionId, connection);
    this.#socketHolders += 1;
  }

  #listen(connectionId: string, self: () => DataConnection): DataConnectionListener {
    const handlers = this.#listener.handlersFor(connectionId);
    let wasOpened = false;
    return {
      onRequest: (stream) => handlers.onRequest(stream),
      onSocket: (stream) => handlers.onSocket(stream),
      onOpen: () => {
        wasOpened = true;
        this.#listener.onOpened(connectionId);
      },
      onEnd: ({ reason, isFault }) => {
        this.#forget(connectionId, self().traffic);
        if (isFault) this.#listener.onFault(reason);
        if (wasOpened) this.#listener.onClosed(connectionId, reason);
      },
      onGone: () => this.#forgetSockets(),
    };
  }

  #forget(connectionId: string, traffic: TunnelTraffic): void {
    this.#connections.delete(connectionId);
    this.#ended.sentBytes += traffic.sentBytes;
    this.#ended.receivedBytes += traffic.receivedBytes;
  }

  #forgetSockets(): void {
    this.#socketHolders -= 1;
    if (this.#socketHolders > 0) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}
