import { FakeClock } from '@openchambery/testkit';
import type { Delivered } from '../../src/deliver/delivery-job.ts';
import { type Courier, deliver, type Delivery, type ResultRow } from '../../src/deliver/deliver.ts';
import { DeliveryGate } from '../../src/deliver/delivery-gate.ts';
import { ServiceHealth } from '../../src/deliver/service-health.ts';
import { SecondOpinion } from '../../src/deliver/second-opinion.ts';
import { TokenHolds } from '../../src/deliver/token-holds.ts';
import type { Environment } from '../../src/provider/push-provider.ts';
import { MemoryBindingStore } from './memory-binding-store.ts';
import { ScriptedFcm, ScriptedProvider } from './scripted-provider.ts';

export const SERVER = 'server';
export const TOPIC = 'com.example';

export interface DeliverOptions {
  readonly environment?: Environment;
  readonly isLast?: boolean;
  readonly serverId?: string;
}

/** Everything that a delivery needs, and what it tells. */
export class CourierStage {
  readonly clock = new FakeClock();
  readonly store: MemoryBindingStore = new MemoryBindingStore(this.clock);
  readonly provider = new ScriptedProvider();
  readonly android = new ScriptedFcm();
  readonly told: string[] = [];
  readonly delivered: Delivered[] = [];
  readonly courier: Courier;

  constructor(maxInFlight = 64) {
    this.courier = {
      clock: this.clock,
      store: this.store,
      providers: { ios: this.provider, android: this.android },
      gates: { ios: new DeliveryGate(maxInFlight), android: new DeliveryGate(maxInFlight) },
      health: new ServiceHealth(this.clock, {
        onSuspected: (service, topic) => this.told.push(`suspected ${service} ${topic}`),
        onCleared: (service, topic) => this.told.push(`cleared ${service} ${topic}`),
      }),
      secondOpinion: new SecondOpinion(this.clock),
      holds: new TokenHolds(this.clock),
      onProviderBug: () => this.told.push('bug'),
      listener: {
        delivered: (each) => this.delivered.push(each),
        unbound: () => this.told.push('unbound'),
        overloaded: () => this.told.push('overloaded'),
        dropped: (count) => this.told.push(`dropped ${count}`),
        unsettled: () => this.told.push('unsettled'),
      },
    };
  }

  /** Binds tokens to the server that sends. */
  bind(...tokens: string[]): void {
    for (const token of tokens) this.store.bind(token, SERVER);
  }

  deliver(tokens: readonly string[], options: DeliverOptions = {}): Promise<readonly ResultRow[]> {
    const { environment = 'sandbox', isLast = false, serverId = SERVER } = options;
    const delivery: Delivery = {
      job: {
        serverId,
        environment,
        textHash: Buffer.alloc(32),
        kind: 'alert',
        payloads: { ios: Buffer.from('{}'), android: Buffer.from('{}') },
        deadlineMs: this.clock.monotonicMs() + 5000,
      },
      tokens,
      topic: TOPIC,
      isLast,
    };
    return deliver(delivery, this.courier);
  }
}
