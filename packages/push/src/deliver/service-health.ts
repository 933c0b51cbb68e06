import type { Clock } from '@openchambery/daemon';
import { ENVIRONMENTS, type Environment } from '../provider/push-provider.ts';

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

/** Hears of environments that begin or cease to refuse everything. */
export interface HealthListener {
  onSuspected(environment: Environment, topic: string): void;
  onCleared(environment: Environment, topic: string): void;
}

/**
 * Tells dead tokens from a wrong configuration. An environment that refuses every token it is asked about has the
 * wrong topic or key, and what it says of tokens proves nothing. Topics come from the configuration: there are two.
 */
export class EnvironmentHealth {
  readonly #clock: Clock;
  readonly #listener: HealthListener;
  readonly #records = new Map<string, Record>();

  constructor(clock: Clock, listener: HealthListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  /** The environment knew a token: it took a push, or knew since when the token is dead. */
  worked(environment: Environment, topic: string): void {
    const record = this.#record(environment, topic);
    record.lastWorkedAtMs = this.#clock.monotonicMs();
    record.refused.clear();
    if (!record.isSuspected) return;
    record.isSuspected = false;
    this.#listener.onCleared(environment, topic);
  }

  /** The environment did not know a token, and the other one did not either. */
  refused(environment: Environment, topic: string, token: string): void {
    const record = this.#record(environment, topic);
    if (this.#clock.monotonicMs() - record.lastWorkedAtMs <= TRUSTED_MS) return;
    if (record.refused.size < SUSPICIOUS_TOKENS) record.refused.add(token);
    if (record.isSuspected || record.refused.size < SUSPICIOUS_TOKENS) return;
    record.isSuspected = true;
    this.#listener.onSuspected(environment, topic);
  }

  /** Whether the environment refuses everything, so that its refusals prove nothing. */
  isSuspected(environment: Environment, topic: string): boolean {
    return this.#record(environment, topic).isSuspected;
  }

  /** Environments that refuse everything, for any topic. */
  suspected(): readonly Environment[] {
    return ENVIRONMENTS.filter((environment) =>
      [...this.#records].some(([id, record]) => record.isSuspected && id.startsWith(`${environment} `)),
    );
  }

  #record(environment: Environment, topic: string): Record {
    const id = `${environment} ${topic}`;
    let record = this.#records.get(id);
    if (record === undefined) {
      record = { lastWorkedAtMs: Number.NEGATIVE_INFINITY, refused: new Set(), isSuspected: false };
      this.#records.set(id, record);
    }
    return record;
  }
}
