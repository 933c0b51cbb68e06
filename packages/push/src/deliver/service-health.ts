import type { Clock } from '@openchambery/daemon';
import { type Service, SERVICES } from '../provider/push-provider.ts';

/** This many different tokens refused, and none taken: then it is hardly the tokens. */
const SUSPICIOUS_TOKENS = 3;
/** Whoever took a push within this time works, whatever it refuses. In ms. */
const TRUSTED_MS = 3_600_000;

interface Record {
  lastWorkedAtMs: number;
  /** Tokens refused since it last worked, up to {@link SUSPICIOUS_TOKENS}. */
  readonly refused: Set<string>;
  isSuspected: boolean;
}

/** Hears of services that begin or cease to refuse everything. */
export interface HealthListener {
  onSuspected(service: Service, topic: string): void;
  onCleared(service: Service, topic: string): void;
}

/** FCM files everything under one name: its project. */
export const FCM_TOPIC = 'project';

/**
 * Tells dead tokens from a wrong configuration. A service that refuses every token it is asked about has the
 * wrong topic, key or project, and what it says of tokens proves nothing. Topics come from the configuration: there are
 * three.
 */
export class ServiceHealth {
  readonly #clock: Clock;
  readonly #listener: HealthListener;
  readonly #records = new Map<string, Record>();

  constructor(clock: Clock, listener: HealthListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  /** The service knew a token: it took a push, or knew since when the token is dead. */
  worked(service: Service, topic: string): void {
    const record = this.#record(service, topic);
    record.lastWorkedAtMs = this.#clock.monotonicMs();
    record.refused.clear();
    if (!record.isSuspected) return;
    record.isSuspected = false;
    this.#listener.onCleared(service, topic);
  }

  /** The service did not know a token, and no other one does either. */
  refused(service: Service, topic: string, token: string): void {
    const record = this.#record(service, topic);
    if (this.isTrusted(service, topic)) return;
    if (record.refused.size < SUSPICIOUS_TOKENS) record.refused.add(token);
    if (record.isSuspected || record.refused.size < SUSPICIOUS_TOKENS) return;
    record.isSuspected = true;
    this.#listener.onSuspected(service, topic);
  }

  /** Whether it has taken a push, or known a token, within the hour: then what it refuses is at fault. */
  isTrusted(service: Service, topic: string): boolean {
    return this.#clock.monotonicMs() - this.#record(service, topic).lastWorkedAtMs <= TRUSTED_MS;
  }

  /** Whether the service refuses everything, so that its refusals prove nothing. */
  isSuspected(service: Service, topic: string): boolean {
    return this.#record(service, topic).isSuspected;
  }

  /** Services that refuse everything, for any topic. */
  suspected(): readonly Service[] {
    return SERVICES.filter((service) =>
      [...this.#records].some(([id, record]) => record.isSuspected && id.startsWith(`${service} `)),
    );
  }

  #record(service: Service, topic: string): Record {
    const id = `${service} ${topic}`;
    let record = this.#records.get(id);
    if (record === undefined) {
      record = { lastWorkedAtMs: Number.NEGATIVE_INFINITY, refused: new Set(), isSuspected: false };
      this.#records.set(id, record);
    }
    return record;
  }
}
