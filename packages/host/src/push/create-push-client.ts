import { isDeviceToken, parseResults } from './push-answers.ts';
import type { PushClient } from './push-client.ts';
import { unavailable } from './failure-of.ts';
import type { PushFailure, PushOutcome, PushReport, TokenResult } from './push-outcome.ts';
import {
  resolvePushOptions,
  type PushClientOptions,
  type ResolvedPushClientOptions,
} from './push-options.ts';
import { TokenBook, type TokenKind } from './push-registry.ts';
import type { ActivityChange, PushAlert, PushPlatform } from './push-requests.ts';
import { PushTransport } from './push-transport.ts';
import type { PushRoute } from './push-url.ts';
import { Registrations } from './registrations.ts';
import { activityText, canonicalState, sendText } from './signed-texts.ts';
import { batchTokens } from './token-batches.ts';

const DISABLED: PushFailure = { isOk: false, kind: 'disabled', message: 'push is turned off' };

/** A request to many tokens, before it is cut into batches. */
interface Broadcast {
  readonly route: PushRoute;
  readonly tokens: readonly string[];
  readonly members: object;
  readonly textOf: (ts: number, batch: readonly string[]) => string;
  /** Whether a token that got it has done its duty. */
  readonly isLast: boolean;
}

/**
 * A client of the push relay for one Host.
 * @throws {HostOptionError} when an option is not usable.
 */
export function createPushClient(options: PushClientOptions): PushClient {
  return new SigningPushClient(resolvePushOptions(options));
}

class SigningPushClient implements PushClient {
  readonly url: string;
  readonly isDisabled: boolean;
  readonly #options: ResolvedPushClientOptions;
  readonly #book: TokenBook;
  readonly #transport: PushTransport;
  readonly #registrations: Registrations;

  constructor(options: ResolvedPushClientOptions) {
    this.url = options.url;
    this.isDisabled = options.isDisabled;
    this.#options = options;
    this.#book = new TokenBook(options.registry);
    this.#transport = new PushTransport({ ...options, sendUrl: options.url });
    this.#registrations = new Registrations({ ...options, transport: this.#transport, book: this.#book });
  }

  registerToken(token: string, platform: PushPlatform = 'ios'): Promise<PushOutcome> {
    return this.#register(token, platform, 'device');
  }

  registerLiveActivityToken(token: string, platform: PushPlatform = 'ios'): Promise<PushOutcome> {
    return this.#register(token, platform, 'liveactivity');
  }

  async unregisterLiveActivityToken(token: string, platform: PushPlatform = 'ios'): Promise<PushOutcome> {
    if (this.isDisabled) return DISABLED;
    return this.#registrations.unregister({ token, platform, kind: 'liveactivity' });
  }

  send({ tokens, title, body, badge, collapseId, data }: PushAlert): Promise<PushReport> {
    return this.#broadcast({
      route: 'send',
      tokens,
      members: { title, body, badge, collapseId, data, env: this.#options.environment },
      textOf: (ts, batch) => sendText(ts, batch, title),
      isLast: false,
    });
  }

  liveActivity({
    tokens,
    event,
    contentState,
    dismissalDate,
    staleDate,
  }: ActivityChange): Promise<PushReport> {
    const state = canonicalState(contentState);
    const change = { event, contentState: state, dismissalDate, staleDate };
    return this.#broadcast({
      route: 'live-activity',
      tokens,
      members: { ...change, env: this.#options.environment },
      textOf: (ts, batch) => activityText(ts, { ...change, tokens: batch }),
      isLast: event === 'end',
    });
  }

  async #register(token: string, platform: PushPlatform, kind: TokenKind): Promise<PushOutcome> {
    return this.isDisabled ? DISABLED : this.#registrations.register({ token, platform, kind });
  }

  async #broadcast(broadcast: Broadcast): Promise<PushReport> {
    if (this.isDisabled) return { results: [], failure: DISABLED };
    const delay = await this.#registrations.renew();
    if (delay !== undefined) return { results: [], failure: delay };
    const { tokens, members, isLast } = broadcast;
    // One of them would have the whole request refused.
    const results = tokens.filter((token) => !isDeviceToken(token)).map((token) => deadResult(token));
    let failure: PushFailure | undefined;
    for (const batch of batchTokens(tokens.filter(isDeviceToken), members)) {
      const outcome = await this.#sendBatch(broadcast, batch);
      if ('isOk' in outcome) {
        failure = outcome;
        break;
      }
      results.push(...outcome);
    }
    await this.#forget(results, isLast);
    return failure === undefined ? { results } : { results, failure };
  }

  async #sendBatch(
    { route, members, textOf }: Broadcast,
    tokens: readonly string[],
  ): Promise<readonly TokenResult[] | PushFailure> {
    const answer = await this.#transport.post(route, { tokens, ...members }, (ts) => textOf(ts, tokens));
    if (!answer.isOk) return answer;
    return parseResults(tokens, answer.json) ?? unavailable('what answers there is no push relay');
  }

  /** What is dead, and what has ended. */
  async #forget(results: readonly TokenResult[], isLast: boolean): Promise<void> {
    const dropped = results.filter(({ isDropped }) => isDropped);
    const ended = isLast ? results.filter(({ isDelivered }) => isDelivered) : [];
    await this.#book.forget([...dropped, ...ended].map(({ token }) => token));
    for (const { token } of dropped) this.#options.onTokenDropped(token);
  }
}

function deadResult(token: string): TokenResult {
  return { token, isDelivered: false, isDropped: true };
}
