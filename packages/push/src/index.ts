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
export { PUSH_LIMITS } from './options/limit-table.ts';
export { PUSH_LIMIT_NAMES, resolvePushLimits } from './options/limits.ts';
export type { PushLimitName, PushLimits } from './options/limits.ts';
export { PushOptionError } from './options/push-option-error.ts';
export type { PushOutcome } from './provider/push-outcome.ts';
export { ENVIRONMENTS } from './provider/push-provider.ts';
export type {
  Environment,
  Notification,
  ProviderSnapshot,
  PushKind,
  PushProvider,
} from './provider/push-provider.ts';
