import type { PushOutcome } from '../provider/push-outcome.ts';
import type { Notification, ProviderSnapshot, PushKind } from '../provider/push-provider.ts';
import type { Answer } from './answer.ts';
import { Breaker } from './breaker.ts';
import type { Credential, CredentialOwner } from './credential.ts';
import { Deadlines } from './deadlines.ts';
import { Delivery } from './delivery.ts';
import type { Dialect, Reading } from './dialect.ts';
import type { Exchange } from './exchange.ts';
import { FaultReport } from './fault-report.ts';
import type { CompleteGatewayOptions } from './gateway-options.ts';
import type { Loss } from './loss.ts';
import { OutcomeCounts } from './outcome-counts.ts';
import { Pool, type PoolOwner } from './pool.ts';

/** What is known of one kind of push. */
interface Lane {
  readonly breaker: Breaker;
  readonly report: FaultReport;
}

/** What a {@link Gateway} is made of. */
export interface GatewayParts {
  readonly url: URL;
  readonly options: CompleteGatewayOptions;
  readonly dialect: Dialect;
  readonly createCredential: (owner: CredentialOwner) => Credential;
}

/**
 * The way to one service: admission → connection → stream → answer → outcome. What is sent a second time is
 * decided here and nowhere else.
 */
export class Gateway implements PoolOwner {
  readonly #dialect: Dialect;
  readonly #options: CompleteGatewayOptions;
  /** Kinds fail apart: Apple's key may be good for alerts and not for Live Activities. */
  readonly #lanes: Readonly<Record<PushKind, Lane>>;
  readonly #credential: Credential;
  readonly #pool: Pool;
  readonly #deadlines: Deadlines;
  readonly #counts = new OutcomeCounts();
  #isClosed = false;

  constructor(parts: GatewayParts) {
    const { url, options, dialect } = parts;
    const { clock, logger } = options;
    this.#dialect = dialect;
    this.#options = options;
    const openLane = (kind: PushKind): Lane => ({
      breaker: new Breaker(clock),
      report: new FaultReport({ dialect, kind, clock, logger }),
    });
    this.#lanes = { alert: openLane('alert'), liveactivity: openLane('liveactivity') };
    this.#deadlines = new Deadlines(clock, (delivery) => this.#onDeadline(delivery));
    this.#credential = parts.createCredential({
      onReady: () => this.#pool.pump(),
      onFailed: (outcome) => {
        for (const delivery of this.#pool.takeWaiting()) this.#settle(delivery, outcome);
      },
    });
    this.#pool = new Pool({ url, options, dialect, owner: this });
  }

  /** See `PushProvider.send`. */
  send(notification: Notification): Promise<PushOutcome> {
    if (this.#isClosed) return this.#refuse(later('closed'));
    if (this.#isPast(notification)) return this.#refuse(later('timeout'));
    if (this.#pool.waitingCount >= this.#options.maxWaiting) return this.#refuse(later('overloaded'));
    if (this.#pool.isUnreachable) return this.#refuse(later('unreachable'));
    const { obstacle } = this.#credential;
    if (obstacle !== undefined) return this.#refuse(obstacle);
    const { breaker, report } = this.#lanes[notification.kind];
    const admission = breaker.admit();
    if (admission === 'refuse') {
      return this.#refuse({ kind: 'configuration-fault', reason: report.reason ?? 'unknown' });
    }
    return new Promise((resolve) => {
      const delivery = new Delivery({ notification, admission, resolve });
      this.#deadlines.add(delivery);
      this.#pool.enqueue(delivery);
    });
  }

  /** See `PushProvider.snapshot`. */
  snapshot(): ProviderSnapshot {
    const pool = this.#pool;
    const fault = this.#lanes.alert.report.fault ?? this.#lanes.liveactivity.report.fault;
    const isWorking = pool.sessionCount > 0 || pool.waitingCount > 0;
    return {
      state: fault === undefined ? (isWorking ? 'working' : 'idle') : 'failing',
      fault,
      sessionCount: pool.sessionCount,
      streamCount: pool.streamCount,
      waitingCount: pool.waitingCount,
      sessionsOpenedCount: pool.openedCount,
      mintedCount: this.#credential.mintedCount,
      resentCount: pool.resentCount,
      outcomeCounts: this.#counts.snapshot(),
    };
  }

  /** Ends what is under way and every connection. Resolves when the sockets are closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const delivery of this.#deadlines.clear()) this.#giveUp(delivery, 'closed');
    this.#credential.close();
    await this.#pool.close();
  }

  bearer(): string | undefined {
    return this.#credential.bearer();
  }

  onAnswer(exchange: Exchange, answer: Answer): void {
    const delivery = exchange.release();
    if (delivery === undefined) return;
    const { outcome, credential } = this.#read(answer);
    if (credential === 'stale' && this.#mayRenew(delivery, exchange.bearer)) {
      delivery.isRenewed = true;
      this.#pool.requeue(delivery);
      return;
    }
    if (credential === 'hold') this.#credential.hold();
    this.#settle(delivery, outcome);
  }

  onLost(delivery: Delivery, loss: Loss): void {
    if (loss.kind === 'unknown') {
      this.#settle(delivery, { kind: 'unknown', reason: loss.reason });
    } else if (this.#isPast(delivery.notification)) {
      this.#settle(delivery, later('timeout'));
    } else if (loss.kind === 'refused' && delivery.isRefused) {
      this.#settle(delivery, later('refused'));
    } else {
      if (loss.kind === 'refused') delivery.isRefused = true;
      this.#pool.requeue(delivery);
    }
  }

  #read(answer: Answer): Reading {
    return this.#dialect.read(answer, this.#options.clock.epochMs());
  }

  #mayRenew(delivery: Delivery, bearer: string): boolean {
    if (delivery.isRenewed || this.#isPast(delivery.notification)) return false;
    return this.#credential.refuse(bearer) !== 'exhausted';
  }

  #onDeadline(delivery: Delivery): void {
    const state = delivery.state;
    this.#giveUp(delivery, 'timeout');
    if (state.kind === 'sent') state.exchange.suspect();
  }

  /** Ends a delivery before its time. */
  #giveUp(delivery: Delivery, reason: string): void {
    const state = delivery.state;
    switch (state.kind) {
      case 'settled':
        return;
      case 'waiting':
        this.#pool.remove(delivery);
        this.#settle(delivery, later(reason === 'timeout' ? this.#pool.obstacle : reason));
        return;
      case 'sent': {
        const answer = state.exchange.answer;
        state.exchange.abandon();
        const outcome: PushOutcome =
          answer === undefined ? { kind: 'unknown', reason } : this.#read(answer).outcome;
        this.#settle(delivery, outcome);
      }
    }
  }

  #settle(delivery: Delivery, outcome: PushOutcome): void {
    this.#deadlines.delete(delivery);
    const { breaker, report } = this.#lanes[delivery.notification.kind];
    breaker.settle(outcome.kind, delivery.admission);
    this.#counts.add(outcome);
    if (outcome.kind === 'accepted') report.clear();
    else this.#tell(delivery.notification, outcome);
    delivery.settle(outcome);
  }

  #tell(notification: Notification, outcome: Exclude<PushOutcome, { kind: 'accepted' }>): void {
    if (outcome.kind === 'configuration-fault') this.#lanes[notification.kind].report.raise(outcome.reason);
    const { hash, logger } = this.#options;
    const fields = { ...this.#dialect.fields, token: hash(notification.token), id: notification.id };
    logger.debug({ ...fields, outcome: outcome.kind, reason: outcome.reason }, 'push not accepted');
  }

  /** Without having tried. */
  #refuse(outcome: PushOutcome): Promise<PushOutcome> {
    this.#counts.add(outcome);
    return Promise.resolve(outcome);
  }

  #isPast(notification: Notification): boolean {
    return this.#options.clock.monotonicMs() >= notification.deadlineMs;
  }
}

function later(reason: string): PushOutcome {
  return { kind: 'later', reason, retryAfterMs: undefined };
}
