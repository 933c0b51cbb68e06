import { createHmac, randomBytes } from 'node:crypto';
import { type Clock, describeFault, LogBudget, type Logger } from '@openchambery/daemon';
import { PushStoreError } from '../binding/store-error.ts';
import type { DeliveryListener } from '../deliver/deliver.ts';
import { type Delivered, serviceOf } from '../deliver/delivery-job.ts';
import type { HealthListener } from '../deliver/service-health.ts';
import type { Service } from '../provider/push-provider.ts';
import type { Refusal, RefusalCode } from '../request/refusal.ts';
import { PushCounters } from './push-counters.ts';

/** Enough of an id to tell two apart in a log, too little to use it. */
const LOGGED_ID_CHARS = 8;
const HASH_KEY_BYTES = 32;

/** Who made a request. */
export interface Requester {
  readonly ip: string;
  readonly serverId?: string;
}

/** Tells the log and the counters what happened. No line ever holds a token, a text, a signature or a key. */
export class Report implements DeliveryListener, HealthListener {
  readonly counters: PushCounters = new PushCounters();
  readonly #logger: Logger;
  readonly #refusals: LogBudget<RefusalCode>;
  readonly #faults: LogBudget<'fault' | 'unsettled' | 'overloaded' | 'delivery'>;
  /** New in every process: a token's name in one log says nothing in another. */
  readonly #hashKey = randomBytes(HASH_KEY_BYTES);

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#refusals = new LogBudget(clock);
    this.#faults = new LogBudget(clock);
  }

  /** The short name of a token in this process's log. */
  nameOf(token: string): string {
    return createHmac('sha256', this.#hashKey).update(token).digest('hex').slice(0, LOGGED_ID_CHARS);
  }

  answered(path: string, status: number): void {
    this.counters.countAnswer(path, status);
  }

  refused({ refusal, detail }: Refusal, { ip, serverId }: Requester): void {
    this.counters.countRefusal(refusal);
    const { write, suppressed } = this.#refusals.take(refusal);
    if (!write) return;
    const who = serverId === undefined ? { ip } : { ip, serverId: serverId.slice(0, LOGGED_ID_CHARS) };
    this.#logger.info({ ...who, refusal, reason: detail, ...mention(suppressed) }, 'push request refused');
  }

  /** A store out of order, or a bug. */
  failed(error: unknown): void {
    this.counters.countRefusal('internal');
    this.#fault('fault', error, 'a push request failed');
  }

  delivered(delivered: Delivered): void {
    const { binding, outcome } = delivered;
    const service = serviceOf(delivered);
    this.counters.countDelivery(service, outcome.kind);
    const nameOf = (): string => this.nameOf(binding.token);
    const fields = {
      // Worked out by whoever writes the line, which is rare: a quarter of what a push costs.
      get token(): string {
        return nameOf();
      },
      ...placeOf(service),
      outcome: outcome.kind,
    };
    if (outcome.kind === 'accepted') {
      this.#logger.debug(fields, 'push accepted');
      return;
    }
    const { write, suppressed } = this.#faults.take('delivery');
    if (!write) return;
    const retryAfterMs = outcome.kind === 'later' ? outcome.retryAfterMs : undefined;
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    const line = { ...fields, reason: outcome.reason, ...wait, ...mention(suppressed) };
    this.#logger.info(line, 'push not delivered');
  }

  unbound(): void {
    this.counters.countUnbound();
  }

  overloaded(): void {
    this.counters.countOverload();
    const { write, suppressed } = this.#faults.take('overloaded');
    if (write)
      this.#logger.warn(mention(suppressed), 'push not sent: limit: MAX_IN_FLIGHT reached, and as many wait');
  }

  dropped(count: number): void {
    this.counters.countDropped(count);
  }

  unsettled(error: unknown): void {
    this.#fault('unsettled', error, 'what was learned about device tokens could not be stored');
  }

  providerBug(error: unknown): void {
    this.#fault('fault', error, 'a push provider threw');
  }

  onSuspected(service: Service, topic: string): void {
    const check =
      service === 'fcm'
        ? 'check that the service account belongs to the project of the app'
        : 'check the bundle ID, and whether the apps come from that environment';
    this.#logger.error(
      { ...placeOf(service), topic },
      `${titleOf(service)} refuses every device token: ${check}; no token is dropped for it`,
    );
  }

  onCleared(service: Service, topic: string): void {
    this.#logger.info({ ...placeOf(service), topic }, `${titleOf(service)} knows device tokens again`);
  }

  #fault(kind: 'fault' | 'unsettled', error: unknown, message: string): void {
    const { write, suppressed } = this.#faults.take(kind);
    if (write) this.#logger.error({ ...describe(error), ...mention(suppressed) }, message);
  }
}

/** A service as fields of a log line. */
function placeOf(service: Service): Record<string, string> {
  return service === 'fcm' ? { service } : { environment: service };
}

function titleOf(service: Service): string {
  return service === 'fcm' ? 'FCM' : `APNs ${service}`;
}

/** Messages of errors may quote what they choke on; those of our own do not. */
function describe(error: unknown): Record<string, unknown> {
  const isOurs = error instanceof PushStoreError;
  return { ...describeFault(error), ...(isOurs ? { reason: error.message } : {}) };
}

function mention(suppressed: number): Record<string, number> {
  return suppressed === 0 ? {} : { suppressed };
}
