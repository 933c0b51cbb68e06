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
export { createPushClient } from './push/create-push-client.ts';
export type { PushClient } from './push/push-client.ts';
export type { PushClientOptions } from './push/push-options.ts';
export type { PushFailure, PushOutcome, PushReport, TokenResult } from './push/push-outcome.ts';
export { createMemoryRegistry } from './push/push-registry.ts';
export type { PushRegistry, RegisteredToken, TokenKind } from './push/push-registry.ts';
export type {
  ActivityChange,
  ActivityItem,
  ActivityState,
  ActivityStatus,
  PushAlert,
  PushEnvironment,
  PushPlatform,
} from './push/push-requests.ts';
export { pushSettingsFromEnvironment } from './push/push-settings.ts';
export type { PushSettings } from './push/push-settings.ts';
export type { PushFetch } from './push/push-transport.ts';
