export type { CloseCause } from './connection/close-cause.ts';
export type { SocketCounts } from './connection/socket-registry.ts';
export {
  RELAY_LIMIT_NAMES,
  RELAY_LIMITS,
  isLimitName,
  resolveLimits,
  toVariableName,
} from './limits.ts';
export type { LimitDefinition, LimitUnit, RelayLimitName, RelayLimits } from './limits.ts';
export { silentLogger } from './logger.ts';
export type { RelayLogger } from './logger.ts';
export type { CounterTotals } from './observe/counters.ts';
export type {
  ConnectionDropped,
  DropCause,
  HostInGrace,
  HostOffline,
  HostOnline,
  Paired,
  RelayEventMap,
  SocketClosed,
  UpgradeRefused,
} from './observe/events.ts';
export type { RelaySnapshot } from './observe/snapshot.ts';
export { describeValue, RelayOptionError } from './option-error.ts';
export type { OptionFault } from './option-error.ts';
export { RELAY_DEFAULTS, resolveRelayOptions } from './options.ts';
export type { RelayServerOptions, ResolvedRelayOptions } from './options.ts';
export { createRelayServer, RelayServer } from './relay-server.ts';
export type { RefusalReason } from './upgrade/refusal.ts';
