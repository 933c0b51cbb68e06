import type { Clock, Logger } from '@openchambery/daemon';
import type { Environment, PushKind } from '../provider/push-provider.ts';

/** Lines about faults and recoveries per minute, of each environment and kind of push. */
const MAX_LINES = 10;
const MINUTE_MS = 60_000;

const CHECK_TOKEN =
  'check the key id, the team id, the clock of this machine, and that the key is not revoked (developer.apple.com, Keys)';
const CHECK_ENVIRONMENT =
  'the key may be restricted to the other environment or to other topics: check it on developer.apple.com, Keys';
const CHECK_TOPIC = 'check the bundle id, and that the key belongs to the team of that app';
const CHECK_URL = 'check the URL of this environment: what answers there is not APNs';

/** What to look at, by Apple's reason. */
const CHECKS: ReadonlyMap<string, string> = new Map([
  ['ExpiredProviderToken', CHECK_TOKEN],
  ['InvalidProviderToken', CHECK_TOKEN],
  ['MissingProviderToken', CHECK_TOKEN],
  ['UnrelatedKeyIdInToken', CHECK_ENVIRONMENT],
  ['BadEnvironmentKeyIdInToken', CHECK_ENVIRONMENT],
  ['BadEnvironmentKeyInToken', CHECK_ENVIRONMENT],
  ['BadCertificateEnvironment', CHECK_ENVIRONMENT],
  ['BadTopic', CHECK_TOPIC],
  ['MissingTopic', CHECK_TOPIC],
  ['TopicDisallowed', CHECK_TOPIC],
]);

/** What a {@link FaultReport} is about, and where it goes. */
export interface FaultReportParts {
  readonly environment: Environment;
  readonly kind: PushKind;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Says what is wrong with the configuration for one kind of push: once, loudly, and when it is over. */
export class FaultReport {
  readonly #environment: Environment;
  readonly #kind: PushKind;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #reason: string | undefined;
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #lineCount = 0;

  constructor({ environment, kind, clock, logger }: FaultReportParts) {
    this.#environment = environment;
    this.#kind = kind;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Apple's word for what is wrong now. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** What is wrong now, in words. */
  get fault(): string | undefined {
    return this.#reason === undefined ? undefined : describeFault(this.#environment, this.#reason);
  }

  /** A push came back with a configuration fault. */
  raise(reason: string): void {
    if (reason === this.#reason) return;
    this.#reason = reason;
    if (!this.#mayLog()) return;
    const fields = { environment: this.#environment, kind: this.#kind, reason };
    this.#logger.error(fields, describeFault(this.#environment, reason));
  }

  /** A push was accepted. */
  clear(): void {
    if (this.#reason === undefined) return;
    this.#reason = undefined;
    if (!this.#mayLog()) return;
    const fields = { environment: this.#environment, kind: this.#kind };
    this.#logger.info(fields, `APNs (${this.#environment}) accepts pushes again`);
  }

  #mayLog(): boolean {
    const now = this.#clock.monotonicMs();
    if (now - this.#windowStartMs >= MINUTE_MS) {
      this.#windowStartMs = now;
      this.#lineCount = 0;
    }
    this.#lineCount += 1;
    return this.#lineCount <= MAX_LINES;
  }
}

function describeFault(environment: Environment, reason: string): string {
  const check = CHECKS.get(reason) ?? (reason.startsWith('http-') ? CHECK_URL : CHECK_TOKEN);
  return `APNs (${environment}) refuses pushes with this configuration: ${reason}; ${check}`;
}
