import type { Clock, Logger } from '@openchambery/daemon';
import type { Credential, CredentialOwner, Renewal } from '../gateway/credential.ts';
import type { PushOutcome } from '../provider/push-outcome.ts';
import type { GivenToken, TokenAnswer } from './fetch-access-token.ts';

/** A token is renewed when this part of its life is over. */
const RENEWAL_SHARE = 0.8;
/** Least time between two renewals out of turn, in ms. */
const FLOOR_MS = 60_000;
/** How long a fetch may take: less than a push lives. */
const FETCH_MS = 4000;
/** Rest after a fetch that failed, in ms: doubles up to the second; the second at once when we are to blame. */
const FIRST_REST_MS = 1000;
const MAX_REST_MS = 30_000;

/** A token and until when it is used, by both clocks: the monotonic one stands still while a machine sleeps. */
interface Held {
  readonly bearer: string;
  readonly fetchedAt: Instant;
  readonly lifeMs: number;
}

interface Instant {
  readonly epochMs: number;
  readonly monotonicMs: number;
}

/**
 * - idle: nothing is under way.
 * - fetching: asked for; all who need it wait for the one answer.
 * - resting: could not be had; asked for again after a rest.
 */
type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'fetching'; readonly abort: AbortController }
  | { readonly kind: 'resting'; readonly untilMs: number; readonly outcome: PushOutcome };

const IDLE: State = { kind: 'idle' };

/** What an {@link AccessToken} is made of. */
export interface AccessTokenOptions extends CredentialOwner {
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 (included) to 1 (excluded). */
  readonly random: () => number;
  /** Asks for a token; never rejects. */
  readonly fetch: (epochMs: number, signal: AbortSignal) => Promise<TokenAnswer>;
}

/** The OAuth access token that authorizes pushes at FCM: fetched once and used by all, however many ask at once. */
export class AccessToken implements Credential {
  readonly #options: AccessTokenOptions;
  #held: Held | undefined;
  #state: State = IDLE;
  #failureCount = 0;
  #mintedCount = 0;
  #forcedAtMs: number | undefined;
  #isClosed = false;

  constructor(options: AccessTokenOptions) {
    this.#options = options;
  }

  get mintedCount(): number {
    return this.#mintedCount;
  }

  get obstacle(): PushOutcome | undefined {
    const state = this.#state;
    if (state.kind !== 'resting' || this.#usable() !== undefined) return undefined;
    return this.#options.clock.monotonicMs() < state.untilMs ? state.outcome : undefined;
  }

  bearer(): string | undefined {
    const held = this.#usable();
    const isOld = held === undefined || this.#ageOf(held) >= held.lifeMs * RENEWAL_SHARE;
    if (isOld && this.#mayFetch()) this.#fetch();
    return held?.bearer;
  }

  refuse(bearer: string): Renewal {
    if (this.#held !== undefined && this.#held.bearer !== bearer) return 'renewed';
    if (this.#state.kind === 'fetching') {
      // The one under way is what everybody waits for now.
      this.#held = undefined;
      return 'renewing';
    }
    const now = this.#options.clock.monotonicMs();
    if (this.#forcedAtMs !== undefined && now - this.#forcedAtMs < FLOOR_MS) return 'exhausted';
    if (!this.#mayFetch()) return 'exhausted';
    this.#forcedAtMs = now;
    this.#held = undefined;
    this.#fetch();
    return 'renewing';
  }

  /** Google has no such answer; none is fetched out of turn for a while. */
  hold(): void {
    this.#forcedAtMs = this.#options.clock.monotonicMs();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#state.kind === 'fetching') this.#state.abort.abort();
  }

  /** The token there is, until the end of its life. */
  #usable(): Held | undefined {
    if (this.#held !== undefined && this.#ageOf(this.#held) >= this.#held.lifeMs) this.#held = undefined;
    return this.#held;
  }

  #ageOf({ fetchedAt }: Held): number {
    const { clock } = this.#options;
    return Math.max(clock.monotonicMs() - fetchedAt.monotonicMs, clock.epochMs() - fetchedAt.epochMs);
  }

  #mayFetch(): boolean {
    const state = this.#state;
    if (this.#isClosed || state.kind === 'fetching') return false;
    return state.kind === 'idle' || this.#options.clock.monotonicMs() >= state.untilMs;
  }

  #fetch(): void {
    const { clock, fetch } = this.#options;
    const abort = new AbortController();
    const timer = clock.setTimer(() => abort.abort(), FETCH_MS);
    const at = { epochMs: clock.epochMs(), monotonicMs: clock.monotonicMs() };
    this.#state = { kind: 'fetching', abort };
    const ask = async (): Promise<void> => {
      const answer = await fetch(at.epochMs, abort.signal);
      timer.cancel();
      if (this.#isClosed) return;
      if (answer.kind === 'token') this.#take(answer, at);
      else this.#fail(answer);
    };
    void ask();
  }

  #take({ accessToken, lifeMs }: GivenToken, fetchedAt: Instant): void {
    if (this.#failureCount > 0)
      this.#options.logger.info({ service: 'fcm' }, 'FCM: access tokens can be had again');
    this.#mintedCount += 1;
    this.#failureCount = 0;
    this.#state = IDLE;
    this.#held = { bearer: `Bearer ${accessToken}`, fetchedAt, lifeMs };
    this.#options.onReady();
  }

  #fail(outcome: Exclude<TokenAnswer, GivenToken>): void {
    const { clock, logger, random, onFailed } = this.#options;
    const step = Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** this.#failureCount);
    const restMs = outcome.kind === 'later' ? step * (0.5 + random() / 2) : MAX_REST_MS;
    this.#state = { kind: 'resting', untilMs: clock.monotonicMs() + restMs, outcome };
    const isUsable = this.#usable() !== undefined;
    // A configuration fault that reaches pushes is told with them.
    if (this.#failureCount === 0 && (isUsable || outcome.kind === 'later')) {
      logger.warn({ service: 'fcm', reason: outcome.reason }, describe(outcome));
    }
    // 2 to the power of it is a number at least until the rest has its greatest length.
    this.#failureCount = Math.min(this.#failureCount + 1, 32);
    if (!isUsable) onFailed(outcome);
  }
}

function describe({ kind, reason }: Exclude<TokenAnswer, GivenToken>): string {
  const check =
    kind === 'later'
      ? 'Google does not answer as it should; it is asked again'
      : 'check that the key of the service account is not revoked, and the clock of this machine';
  return `FCM: no access token: ${reason}; ${check}`;
}
