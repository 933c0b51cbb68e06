export type { Binding, BindingKind, Platform, Refusals } from './binding/binding.ts';
export type {
  BindingChange,
  BindingStore,
  NotFresh,
  Registration,
  RegistrationResult,
  StoreCounts,
  Unregistration,
  UnregistrationResult,
} from './binding/binding-store.ts';
export type { ReplayMark, ReplayVerdict } from './binding/replay-mark.ts';
export { PushStoreError } from './binding/store-error.ts';
export type { BodyFault, PushRequest, PushResponse } from './http/push-request.ts';
export type { PushCounterTotals } from './observe/push-counters.ts';
export { PUSH_LIMITS } from './options/limit-table.ts';
export { PUSH_LIMIT_NAMES, resolvePushLimits } from './options/limits.ts';
export type { PushLimitName, PushLimits } from './options/limits.ts';
export { PushOptionError } from './options/push-option-error.ts';
export { PUSH_DEFAULTS, resolvePushOptions } from './options/push-options.ts';
export type { PushOptions, ResolvedPushOptions } from './options/push-options.ts';
export type { PushOutcome } from './provider/push-outcome.ts';
export { ENVIRONMENTS } from './provider/push-provider.ts';
export type {
  ApnsNotification,
  Environment,
  Notification,
  ProviderSnapshot,
  PushKind,
  PushProvider,
  Service,
} from './provider/push-provider.ts';
export { createPushServer, PushServer } from './push-server.ts';
export { createPushService, PushService } from './push-service.ts';
export type { PushSnapshot, PushState } from './push-snapshot.ts';
