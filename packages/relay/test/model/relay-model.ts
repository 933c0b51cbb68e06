import type { ControlMessage } from '@openchambery/protocol';
import { formatControlMessage } from '@openchambery/protocol';
import type { RelayLimits } from '../../src/limits.ts';
import { startClosing, type Leg } from './leg.ts';

/** A Client's way to its Host. */
export interface ModelConnection {
  readonly id: string;
  readonly host: ModelHost;
  readonly client: Leg;
  /** Missing while it is pending. */
  data: Leg | undefined;
  /** Until when it may be pending, in ms. */
  readonly pendingUntilMs: number;
}

/** One Host's route. */
export interface ModelHost {
  readonly serverId: string;
  readonly connections: Map<string, ModelConnection>;
  /** The control connection, or until when the Host is in grace, in ms. */
  control: Leg | { readonly graceUntilMs: number };
}

/** How a socket ended that the relay did not close for another's sake. */
export type End =
  | { readonly kind: 'closed'; readonly code: number }
  | { readonly kind: 'fault'; readonly code: number }
  | { readonly kind: 'lost' }
  /** The relay found it silent or stalled; `codes` are those it may be told. */
  | { readonly kind: 'given-up'; readonly codes: readonly number[] };

/**
 * What layer 1, sections 5 to 7, say of routing, without sockets, queues or timers: a second opinion that the relay
 * is held against after every step.
 */
export class RelayModel {
  readonly limits: RelayLimits;
  readonly #now: () => number;
  readonly hosts: Map<string, ModelHost> = new Map();
  isDraining = false;

  constructor(limits: RelayLimits, now: () => number) {
    this.limits = limits;
    this.#now = now;
  }

  get connections(): ModelConnection[] {
    const all: ModelConnection[] = [];
    for (const host of this.hosts.values())
      for (const connection of host.connections.values()) all.push(connection);
    return all;
  }

  get pending(): ModelConnection[] {
    return this.connections.filter((connection) => connection.data === undefined);
  }

  attachControl(leg: Leg): void {
    const known = this.hosts.get(leg.party.serverId);
    const host = known ?? {
      serverId: leg.party.serverId,
      connections: new Map<string, ModelConnection>(),
      control: leg,
    };
    this.hosts.set(host.serverId, host);
    if (known !== undefined && 'peer' in known.control) {
      for (const connection of known.connections.values()) {
        this.#close(connection.client, 4001);
        if (connection.data !== undefined) this.#close(connection.data, 4001);
      }
      known.connections.clear();
      this.#close(known.control, 4001);
    }
    host.control = leg;
    this.#tell(host, { type: 'sync', connectionIds: [...host.connections.keys()] });
  }

  attachClient(leg: Leg): void {
    const host = this.hosts.get(leg.party.serverId) as ModelHost;
    const id = leg.party.connectionId as string;
    host.connections.set(id, {
      id,
      host,
      client: leg,
      data: undefined,
      pendingUntilMs: this.#now() + this.limits.pendingMs,
    });
    this.#tell(host, { type: 'connected', connectionId: id });
  }

  attachData(leg: Leg): void {
    const connection = this.find(leg) as ModelConnection;
    connection.data = leg;
    for (const unit of connection.client.peer.units.slice(0, connection.client.readUnits)) {
      if (unit.kind === 'message') leg.expected.push(unit.message);
    }
  }

  /** The connection that a client's or host-data's party names, if it is routed. */
  find({ party }: Leg): ModelConnection | undefined {
    return this.hosts.get(party.serverId)?.connections.get(party.connectionId ?? '');
  }

  /** Where a leg's messages go. */
  targetOf(leg: Leg): Leg | undefined {
    const connection = this.#connectionOf(leg);
    return connection?.client === leg ? connection.data : connection?.client;
  }

  /** A socket ended; what follows from it for others. */
  end(leg: Leg, end: End): void {
    if (!leg.isOpen) return;
    startClosing(leg, codesFor(end), this.#now());
    if (leg.party.role === 'host-control') return this.loseControl(leg);
    const connection = this.#connectionOf(leg);
    if (connection === undefined) return;
    const isClean = end.kind === 'closed' || end.kind === 'lost';
    if (connection.client !== leg) this.#close(connection.client, 1012);
    else if (connection.data !== undefined) this.#close(connection.data, isClean ? 1000 : 1012);
    this.forget(connection);
  }

  /** A control connection is of no use any more: its Host is in grace. */
  loseControl(leg: Leg): void {
    const host = this.hosts.get(leg.party.serverId);
    if (host?.control !== leg) return;
    host.control = { graceUntilMs: this.#now() + this.limits.graceMs };
  }

  /** A connection is over; its Host hears of it. */
  forget(connection: ModelConnection): void {
    connection.host.connections.delete(connection.id);
    this.#tell(connection.host, { type: 'disconnected', connectionId: connection.id });
  }

  #connectionOf(leg: Leg): ModelConnection | undefined {
    const connection = this.find(leg);
    return connection?.client === leg || connection?.data === leg ? connection : undefined;
  }

  #close(leg: Leg, code: number): void {
    startClosing(leg, [code], this.#now());
  }

  #tell(host: ModelHost, message: ControlMessage): void {
    if ('peer' in host.control) {
      host.control.expected.push({ isBinary: false, body: formatControlMessage(message) });
    }
  }
}

function codesFor(end: End): readonly number[] {
  if (end.kind === 'lost') return [];
  return end.kind === 'given-up' ? end.codes : [end.code];
}
