export type { CloseCause } from './connection/close-cause.ts';
export type { SocketCounts } from './connection/socket-registry.ts';
export { isLimitName, RELAY_LIMIT_NAMES, RELAY_LIMITS, resolveLimits } from './limits.ts';
export type { RelayLimitName, RelayLimits } from './limits.ts';
export { silentLogger, toVariableName } from '@openchambery/daemon';
export type {
  ConnectionDropped,
  DropCause,
  LimitDefinition,
  LimitUnit,
  Logger as RelayLogger,
  Mount as RelayMount,
  OptionFault,
} from '@openchambery/daemon';
export type { CounterTotals } from './observe/counters.ts';
export type {
  HostInGrace,
  HostOffline,
  HostOnline,
  Paired,
  RelayEventMap,
  SocketClosed,
  UpgradeRefused,
} from './observe/events.ts';
export type { RelaySnapshot } from './observe/snapshot.ts';
export { RelayOptionError } from './relay-option-error.ts';
export { RELAY_DEFAULTS, resolveRelayOptions } from './options.ts';
export type { RelayServerOptions, ResolvedRelayOptions } from './options.ts';
export { createRelayServer, RelayServer } from './relay-server.ts';
export type { RefusalReason } from './upgrade/refusal.ts';
