import type { SocketCounts } from '../connection/socket-registry.ts';
import type { RelayParts } from '../create-relay-parts.ts';
import type { CounterTotals } from './counters.ts';

/** What a relay holds at one moment. Every gauge is zero once its sockets are gone. */
export interface RelaySnapshot {
  readonly state: 'idle' | 'starting' | 'listening' | 'draining' | 'closed';
  /** TCP connections, of whatever use. */
  readonly rawSockets: number;
  /** Accepted WebSockets by role, closing ones included. */
  readonly sockets: SocketCounts;
  /** Refused upgrades whose closing handshake is not over. */
  readonly refusedSockets: number;
  readonly hosts: number;
  /** Of the Hosts, those whose control connection is lost and may come back. */
  readonly hostsInGrace: number;
  /** Clients, pending and paired. */
  readonly connections: number;
  readonly pendingClients: number;
  /** Bytes that wait in all queues. */
  readonly queuedBytes: number;
  /** Sockets that are not read because their receiver is full. */
  readonly pausedSources: number;
  /** Windows in the admission table and records in the replay table; expired ones go with the next upgrade. */
  readonly admissionEntries: number;
  readonly replayEntries: number;
  readonly totals: CounterTotals;
}

/** Reads every gauge at once. */
export function takeSnapshot(
  { context, gatekeeper, replay, refused }: RelayParts,
  { state, rawSockets }: Pick<RelaySnapshot, 'state' | 'rawSockets'>,
): RelaySnapshot {
  const { sockets, hosts, connections, wire, counters } = context;
  return {
    state,
    rawSockets,
    sockets: sockets.counts(),
    refusedSockets: refused.size,
    hosts: hosts.size,
    hostsInGrace: hosts.graceSize,
    connections: connections.size,
    pendingClients: connections.pendingSize,
    queuedBytes: wire.budget.usedBytes,
    pausedSources: wire.pausedSources.size,
    admissionEntries: gatekeeper.admission.size,
    replayEntries: replay.size,
    totals: counters.totals(),
  };
}
