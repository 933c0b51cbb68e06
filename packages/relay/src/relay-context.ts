import type { Clock, WireContext } from '@openchambery/wire';
import type { SocketRegistry } from './connection/socket-registry.ts';
import type { RelayLimits } from './limits.ts';
import type { Counters } from './observe/counters.ts';
import type { Report } from './observe/report.ts';
import type { ConnectionIndex } from './routing/connection-index.ts';
import type { HostRegistry } from './routing/host-registry.ts';

/** What every stage of one relay shares. */
export interface RelayContext {
  readonly limits: RelayLimits;
  readonly clock: Clock;
  readonly randomBytes: (size: number) => Buffer;
  readonly wire: WireContext;
  readonly sockets: SocketRegistry;
  readonly hosts: HostRegistry;
  readonly connections: ConnectionIndex;
  readonly counters: Counters;
  readonly report: Report;
}
