import type { Clock, KeyCache } from '@openchambery/daemon';
import type { Platform } from './binding/binding.ts';
import type { BindingStore } from './binding/binding-store.ts';
import type { Courier } from './deliver/deliver.ts';
import type { SlidingWindow } from './limits/sliding-window.ts';
import type { Report } from './observe/report.ts';
import type { PushLimits } from './options/limits.ts';
import type { PushKind } from './provider/push-provider.ts';

/** What every stage of one push relay shares. */
export interface PushContext {
  readonly clock: Clock;
  readonly limits: PushLimits;
  readonly trustProxy: 'trust' | 'ignore';
  readonly keys: KeyCache;
  readonly store: BindingStore;
  readonly courier: Courier;
  /** Under what name the provider files each kind of push. */
  /** The platforms whose service is configured. */
  readonly platforms: readonly Platform[];
  readonly topics: Readonly<Record<PushKind, string>>;
  readonly registersByIp: SlidingWindow;
  readonly sendsByIp: SlidingWindow;
  readonly sendsByServer: SlidingWindow;
  readonly report: Report;
  readonly isDraining: () => boolean;
}
