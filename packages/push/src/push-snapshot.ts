import type { StoreCounts } from './binding/binding-store.ts';
import type { PushCounterTotals } from './observe/push-counters.ts';
import type { Environment, ProviderSnapshot, Service } from './provider/push-provider.ts';

/** The life of a push relay; it goes one way. */
export type PushState = 'running' | 'draining' | 'closed';

/** What a push relay holds now, and what it has done since start. */
export interface PushSnapshot extends StoreCounts {
  readonly state: PushState;
  /** Requests that wait for their answer. */
  readonly requestCount: number;
  /** Deliveries under way, and deliveries that wait. */
  readonly inFlightCount: number;
  readonly waitingCount: number;
  /** Services that refuse every token, so that nothing is dropped for it. */
  readonly suspected: readonly Service[];
  /** Those that are configured; Apple's two always are. */
  readonly providers: Readonly<
    Record<Environment, ProviderSnapshot> & Partial<Record<'fcm', ProviderSnapshot>>
  >;
  readonly totals: PushCounterTotals;
}
