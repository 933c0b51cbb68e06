import { splice, type Timer } from '@openchambery/wire';
import type { CloseCause } from '../connection/close-cause.ts';
import type { RelaySocket, SocketEnd, SocketOwner } from '../connection/relay-socket.ts';
import type { RelayContext } from '../relay-context.ts';
import type { Host } from './host.ts';

/**
 * - new: not started yet.
 * - pending: the Host was told and has not attached; what the Client sends is held.
 * - paired: both legs are there and spliced.
 * - gone: no route; its sockets close by themselves.
 */
type State =
  | { readonly kind: 'new' }
  | { readonly kind: 'pending'; readonly timer: Timer }
  | { readonly kind: 'paired'; readonly data: RelaySocket }
  | { readonly kind: 'gone' };

/** What the other leg is told when one leg ends. */
const CAUSE_FOR_HOST_DATA: Readonly<Record<SocketEnd, CloseCause>> = {
  closed: 'client-closed',
  lost: 'client-closed',
  fault: 'peer-fault',
  silent: 'peer-unresponsive',
  stalled: 'peer-unresponsive',
};
const CAUSE_FOR_CLIENT: Readonly<Record<SocketEnd, CloseCause>> = {
  closed: 'host-data-closed',
  lost: 'host-data-closed',
  fault: 'peer-fault',
  silent: 'peer-unresponsive',
  stalled: 'peer-unresponsive',
};

/** What a connection is made of. */
export interface ClientConnectionParts {
  readonly connectionId: string;
  readonly host: Host;
  readonly client: RelaySocket;
}

/** One Client's way to its Host: from its arrival, through the pair, to its end. */
export class ClientConnection {
  readonly connectionId: string;
  readonly host: Host;
  readonly #context: RelayContext;
  readonly #client: RelaySocket;
  #state: State = { kind: 'new' };

  constructor(parts: ClientConnectionParts, context: RelayContext) {
    this.connectionId = parts.connectionId;
    this.host = parts.host;
    this.#client = parts.client;
    this.#context = context;
  }

  /** The Client's IP as counted. */
  get ip(): string {
    return this.#client.party.ip;
  }

  get isPending(): boolean {
    return this.#state.kind === 'pending';
  }

  /** The legs that are there. */
  get sockets(): RelaySocket[] {
    return this.#state.kind === 'paired' ? [this.#client, this.#state.data] : [this.#client];
  }

  /** Whether data waits for one of the legs. */
  get isBusy(): boolean {
    return this.sockets.some((socket) => socket.wire.waitingBytes > 0);
  }

  /** Waits for the Host. */
  startPending(): void {
    const { clock, connections, limits } = this.#context;
    const timer = clock.setTimer(() => this.close('pending-timeout'), limits.pendingMs);
    this.#state = { kind: 'pending', timer };
    connections.addPending(this);
    this.#client.wire.hold();
    this.#client.start(new Leg(this, CAUSE_FOR_HOST_DATA));
  }

  /** The Host attached: from here on the two legs are one pipe. Only for a pending connection. */
  pair(data: RelaySocket): void {
    if (this.#state.kind !== 'pending') throw new Error('only a pending connection can be paired');
    this.#state.timer.cancel();
    this.#context.connections.endPending(this);
    this.#state = { kind: 'paired', data };
    splice(this.#client.wire, data.wire);
    // Before it is read: what came behind the request may already be its end.
    this.#context.report.paired({ serverId: this.host.serverId, connectionId: this.connectionId });
    data.start(new Leg(this, CAUSE_FOR_CLIENT));
  }

  /** Ends the connection, the one way there is; a leg that has ended by itself does not hear the cause. */
  close(cause: CloseCause): void {
    const before = this.#state;
    if (before.kind === 'gone') return;
    this.#state = { kind: 'gone' };
    if (before.kind === 'pending') before.timer.cancel();
    this.#context.connections.remove(this);
    this.#client.close(cause);
    if (before.kind === 'paired') before.data.close(cause);
    this.host.forget(this);
  }
}

/** Ends the connection when one of its legs does. */
class Leg implements SocketOwner {
  readonly #connection: ClientConnection;
  readonly #causes: Readonly<Record<SocketEnd, CloseCause>>;

  constructor(connection: ClientConnection, causes: Readonly<Record<SocketEnd, CloseCause>>) {
    this.#connection = connection;
    this.#causes = causes;
  }

  onEnded(end: SocketEnd): void {
    this.#connection.close(this.#causes[end]);
  }

  onDrained(): void {
    // The wire reads the other leg again by itself.
  }
}
