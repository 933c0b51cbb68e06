import type { Timer } from '@openchambery/daemon';
import type { Answer } from './answer.ts';
import type { Delivery } from './delivery.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import type { Dialect } from './dialect.ts';
import type { Exchange } from './exchange.ts';
import type { CompleteGatewayOptions } from './gateway-options.ts';
import type { Loss } from './loss.ts';
import { reconnectDelayMs } from './reconnect.ts';
import { Session } from './session.ts';
import type { SessionOwner } from './session-context.ts';

/**
 * - idle: no connection; the next push opens one.
 * - active: one connection that takes pushes, or will in a moment.
 * - resting: connections have failed; the next is opened at `untilMs`, if a push waits then.
 * - closed: for good.
 */
type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'active'; readonly session: Session }
  | { readonly kind: 'resting'; readonly untilMs: number; readonly timer: Timer | undefined }
  | { readonly kind: 'closed' };

/** Connections that failed in a row, after which one push at a time waits for the next. */
const HOPELESS_FAILURES = 3;

/** Who owns a pool: the gateway. */
export interface PoolOwner {
  /** Value of `authorization`; undefined while there is none, then `pump` or `takeWaiting` is called. */
  bearer(): string | undefined;
  onAnswer(exchange: Exchange, answer: Answer): void;
  onLost(delivery: Delivery, loss: Loss): void;
}

/** What a {@link Pool} is made of. */
export interface PoolContext {
  readonly url: URL;
  readonly options: CompleteGatewayOptions;
  readonly dialect: Dialect;
  readonly owner: PoolOwner;
}

/** The connections to one service, and the pushes that wait for one: one that is used, older ones that drain. */
export class Pool implements SessionOwner {
  readonly #context: PoolContext;
  readonly #waiting = new DeliveryQueue();
  /** Every session that has not ended. */
  readonly #sessions = new Set<Session>();
  #state: State = { kind: 'idle' };
  /** Connections in a row that failed or ended without an answer. */
  #failureCount = 0;
  #openedCount = 0;
  #resentCount = 0;

  constructor(context: PoolContext) {
    this.#context = context;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  get openedCount(): number {
    return this.#openedCount;
  }

  /** Pushes sent again. */
  get resentCount(): number {
    return this.#resentCount;
  }

  get sessionCount(): number {
    return [...this.#sessions].filter((session) => !session.isConnecting).length;
  }

  get streamCount(): number {
    return [...this.#sessions].reduce((count, session) => count + session.streamCount, 0);
  }

  /**
   * Whether connections keep failing and a push already waits to see the next one succeed. The others need not wait
   * their time out with it, and take the places of pushes that would be delivered.
   */
  get isUnreachable(): boolean {
    if (this.#failureCount < HOPELESS_FAILURES || this.#waiting.size === 0) return false;
    return this.#state.kind !== 'active' || !this.#state.session.isProven;
  }

  /** What a push waits for, as a reason for its outcome. */
  get obstacle(): string {
    const state = this.#state;
    return state.kind === 'active' && !state.session.isConnecting ? 'no-stream' : 'unreachable';
  }

  /** A new push. */
  enqueue(delivery: Delivery): void {
    this.#waiting.push(delivery);
    this.pump();
  }

  /** A push that has been sent and was not processed. */
  requeue(delivery: Delivery): void {
    delivery.returned();
    this.#waiting.unshift(delivery);
    this.pump();
  }

  /** Gives up a push that waits. */
  remove(delivery: Delivery): void {
    this.#waiting.remove(delivery);
  }

  /** Takes everything that waits out of the queue. */
  takeWaiting(): Delivery[] {
    const taken: Delivery[] = [];
    for (let first = this.#waiting.first; first !== undefined; first = this.#waiting.first) {
      this.#waiting.remove(first);
      taken.push(first);
    }
    return taken;
  }

  /** Sends what waits as far as there is room. */
  pump(): void {
    for (let first = this.#waiting.first; first !== undefined; first = this.#waiting.first) {
      // Asked for first, so that it is made while the connection is.
      const bearer = this.#context.owner.bearer();
      const session = this.#session();
      if (session === undefined || bearer === undefined) return;
      session.probe();
      if (!session.hasRoom) return;
      this.#waiting.remove(first);
      this.#send(session, first, bearer);
    }
  }

  /** Ends every connection. Resolves when their sockets are closed. */
  async close(): Promise<void> {
    if (this.#state.kind === 'resting') this.#state.timer?.cancel();
    this.#state = { kind: 'closed' };
    const sessions = [...this.#sessions];
    for (const session of sessions) session.terminate('closed');
    await Promise.all(sessions.map((session) => session.closed));
  }

  onRoom(session: Session): void {
    if (this.#state.kind === 'active' && this.#state.session === session) this.pump();
  }

  onDraining(session: Session): void {
    const { dialect, options } = this.#context;
    options.logger.debug({ ...dialect.fields, cause: session.cause }, `${dialect.name} connection drains`);
    this.#retire(session);
  }

  onEnded(session: Session): void {
    this.#sessions.delete(session);
    this.#retire(session);
    const { dialect, options } = this.#context;
    options.logger.debug({ ...dialect.fields, cause: session.cause }, `${dialect.name} connection ended`);
  }

  onAnswer(session: Session, exchange: Exchange, answer: Answer): void {
    if (this.#failureCount > 0 && session.isProven) {
      this.#failureCount = 0;
      const { dialect, options } = this.#context;
      options.logger.info({ ...dialect.fields }, `${dialect.title} is reached again`);
    }
    this.#context.owner.onAnswer(exchange, answer);
  }

  onLost(delivery: Delivery, loss: Loss): void {
    this.#context.owner.onLost(delivery, loss);
  }

  #send(session: Session, delivery: Delivery, bearer: string): void {
    const { dialect } = this.#context;
    if (delivery.isReturned) this.#resentCount += 1;
    session.send(delivery, dialect.request(delivery.notification, bearer), bearer);
  }

  /** The session to use, which may still be connecting; undefined while none may be opened. */
  #session(): Session | undefined {
    const state = this.#state;
    if (state.kind === 'active') return state.session;
    if (state.kind === 'idle') return this.#open();
    if (state.kind === 'resting' && state.timer === undefined) this.#rest(state.untilMs);
    return undefined;
  }

  #open(): Session {
    const { url, options, dialect } = this.#context;
    const session = new Session({ url, options, dialect, owner: this });
    this.#openedCount += 1;
    this.#sessions.add(session);
    this.#state = { kind: 'active', session };
    return session;
  }

  /** A session is not used any more. One that has never answered counts as a failure, however it ended. */
  #retire(session: Session): void {
    if (this.#state.kind !== 'active' || this.#state.session !== session) return;
    if (session.isProven) {
      this.#state = { kind: 'idle' };
    } else {
      this.#failureCount += 1;
      this.#warn(session.cause);
      const { clock, random } = this.#context.options;
      const untilMs = clock.monotonicMs() + reconnectDelayMs(this.#failureCount, random);
      this.#state = { kind: 'resting', untilMs, timer: undefined };
    }
    this.pump();
  }

  #rest(untilMs: number): void {
    const { clock } = this.#context.options;
    const onRested = (): void => {
      this.#state = { kind: 'idle' };
      this.pump();
    };
    const timer = clock.setTimer(onRested, Math.max(0, untilMs - clock.monotonicMs()));
    this.#state = { kind: 'resting', untilMs, timer };
  }

  #warn(cause: string): void {
    if (this.#failureCount > 1) return;
    const { dialect, options } = this.#context;
    options.logger.warn({ ...dialect.fields, cause }, `${dialect.title} cannot be reached: ${cause}`);
  }
}
