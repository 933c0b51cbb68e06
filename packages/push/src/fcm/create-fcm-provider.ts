import { Gateway } from '../gateway/gateway.ts';
import { completeGatewayOptions, type GatewayOptions } from '../gateway/gateway-options.ts';
import type { PushOutcome } from '../provider/push-outcome.ts';
import type { Notification, ProviderSnapshot, PushProvider } from '../provider/push-provider.ts';
import { AccessToken } from './access-token.ts';
import { Backoff } from './backoff.ts';
import { FcmDialect, PROBE } from './fcm-dialect.ts';
import { fetchAccessToken } from './fetch-access-token.ts';
import { INVALID_ARGUMENT } from './interpret-answer.ts';
import type { ServiceAccount } from './service-account.ts';
import { TokenDoubts } from './token-doubts.ts';

/** What the FCM provider needs to know. */
export interface FcmOptions extends GatewayOptions {
  readonly account: ServiceAccount;
  /** Where FCM is; a path in front of `/v1/projects/…` is kept. */
  readonly url: string;
  /** Where access tokens come from, in place of the account's own. */
  readonly tokenUrl?: string | undefined;
}

/** Google's push service as a provider. */
export type FcmProvider = PushProvider<Notification, 'fcm'>;

/** The reason of a push that FCM found wrong because of its token. */
const INVALID_TOKEN = 'INVALID_ARGUMENT token';

/** Makes the provider. Nothing is opened before the first push. */
export function createFcmProvider(options: FcmOptions): FcmProvider {
  const complete = completeGatewayOptions(options);
  const { clock, logger, random, ca } = complete;
  const { account } = options;
  const url = new URL(options.url);
  const tokenUrl = new URL(options.tokenUrl ?? account.tokenUri);
  const gateway = new Gateway({
    url,
    options: complete,
    dialect: new FcmDialect(url, account.projectId, new Backoff(clock, random)),
    createCredential: (owner) =>
      new AccessToken({
        ...owner,
        clock,
        logger,
        random,
        fetch: (epochMs, signal) => fetchAccessToken({ account, url: tokenUrl, ca, epochMs, signal }),
      }),
  });
  return new OneGateway(gateway, new TokenDoubts(clock));
}

class OneGateway implements FcmProvider {
  readonly #gateway: Gateway;
  readonly #doubts: TokenDoubts;

  constructor(gateway: Gateway, doubts: TokenDoubts) {
    this.#gateway = gateway;
    this.#doubts = doubts;
  }

  async send(notification: Notification): Promise<PushOutcome> {
    const outcome = await this.#gateway.send(notification);
    if (outcome.kind !== 'request-fault' || outcome.reason !== INVALID_ARGUMENT) return outcome;
    const culprit = this.#doubts.known(notification.token) ?? (await this.#findCulprit(notification));
    return culprit === 'token' ? { kind: 'request-fault', reason: INVALID_TOKEN } : outcome;
  }

  snapshot(): Readonly<Record<'fcm', ProviderSnapshot>> {
    return { fcm: this.#gateway.snapshot() };
  }

  close(): Promise<void> {
    return this.#gateway.close();
  }

  /** Has FCM look at the token alone; nothing is pushed by it. */
  async #findCulprit(notification: Notification): Promise<'token' | 'request' | undefined> {
    if (!this.#doubts.mayAsk()) return undefined;
    const { kind, reason } = {
      reason: undefined,
      ...(await this.#gateway.send({ ...notification, payload: PROBE })),
    };
    const isToken = kind === 'request-fault' && reason === INVALID_ARGUMENT;
    // Anything else than these two says nothing about either.
    if (!isToken && kind !== 'accepted') return undefined;
    const culprit = isToken ? 'token' : 'request';
    this.#doubts.remember(notification.token, culprit);
    return culprit;
  }
}
