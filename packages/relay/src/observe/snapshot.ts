import type { SocketCounts } from '../connection/socket-registry.ts';
import type { CounterTotals } from './counters.ts';

/** What a relay holds at one moment. Every gauge is zero once its sockets are gone. */
export interface RelaySnapshot {
  readonly state: 'idle' | 'listening' | 'draining' | 'closed';
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
