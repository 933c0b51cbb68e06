export { createRelayHost } from './create-relay-host.ts';
export { HostError } from './host-error.ts';
export type { HostErrorCode } from './host-error.ts';
export { HostOptionError } from './host-option-error.ts';
export type { HostOptionFault } from './host-option-error.ts';
export { HOST_DEFAULTS } from './host-options.ts';
export { createHostKeys, exportHostKeys, importHostKeys } from './identity/host-keys.ts';
export type { HostKeys, StoredHostKeys } from './identity/host-keys.ts';
export { loadHostKeys } from './identity/load-host-keys.ts';
export type {
  Admission,
  HandlerContext,
  HostEvents,
  HostHandler,
  HostPolicy,
  HostSnapshot,
  HostStatus,
  HostTarget,
  RelayHost,
  RelayHostOptions,
  RequestToAdmit,
} from './relay-host.ts';
