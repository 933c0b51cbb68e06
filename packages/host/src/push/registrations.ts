import { isDeviceToken } from './push-answers.ts';
import type { PushFailure, PushOutcome } from './push-outcome.ts';
import type { RegisteredToken, TokenBook, TokenKind } from './push-registry.ts';
import type { PushPlatform } from './push-requests.ts';
import type { PushAnswer, PushTransport } from './push-transport.ts';
import type { PushRoute } from './push-url.ts';

/** A token to bind. */
export interface Registration {
  readonly token: string;
  readonly platform: PushPlatform;
  readonly kind: TokenKind;
}

/** What registrations work with. */
export interface RegistrationsOptions {
  readonly url: string;
  readonly transport: PushTransport;
  readonly book: TokenBook;
  readonly onTokenDropped: (token: string) => void;
}

const NOT_A_TOKEN: PushFailure = {
  isOk: false,
  kind: 'refused',
  error: 'invalid_request',
  message: 'a device token is 64 to 512 hexadecimal digits, an even number of them',
};

const REGISTER_ROUTES: Readonly<Record<TokenKind, PushRoute>> = {
  device: 'register-token',
  liveactivity: 'register-live-activity-token',
};

/** Binds tokens to this Host at its push relay, and sees to it that they stay bound when the relay is another one. */
export class Registrations {
  readonly #options: RegistrationsOptions;
  #renewal: Promise<PushFailure | undefined> | undefined;

  constructor(options: RegistrationsOptions) {
    this.#options = options;
  }

  /** Binds a token and remembers it. */
  async register(registration: Registration): Promise<PushOutcome> {
    const { url, book } = this.#options;
    if (!isDeviceToken(registration.token)) return NOT_A_TOKEN;
    await book.ready();
    const answer = await this.#post(REGISTER_ROUTES[registration.kind], registration);
    if (!answer.isOk) return answer;
    await book.remember({ ...registration, url });
    return { isOk: true };
  }

  /** Ends the binding of a Live Activity's token and forgets it. */
  async unregister(registration: Registration): Promise<PushOutcome> {
    const { token } = registration;
    if (!isDeviceToken(token)) return NOT_A_TOKEN;
    await this.#options.book.ready();
    const answer = await this.#post('unregister-live-activity-token', registration);
    // Bound to another Host by now: no more ours than one that was unregistered.
    const isGone = answer.isOk || answer.error === 'invalid_signature';
    if (isGone) await this.#options.book.forget([token]);
    return answer.isOk ? { isOk: true } : answer;
  }

  /** Binds what another relay knew; all who ask meanwhile wait for the same. @returns why sends have to wait. */
  renew(): Promise<PushFailure | undefined> {
    this.#renewal ??= this.#renewAll().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renewAll(): Promise<PushFailure | undefined> {
    const { url, book } = this.#options;
    await book.ready();
    for (const known of book.elsewhere(url)) {
      const failure = await this.#renewOne(known);
      // A relay without room keeps nobody from those tokens that it does know.
      if (failure !== undefined) return failure.kind === 'token-limit' ? undefined : failure;
    }
    return undefined;
  }

  async #renewOne({ token, platform, kind }: RegisteredToken): Promise<PushFailure | undefined> {
    const outcome = await this.register({ token, platform, kind });
    if (outcome.isOk) return undefined;
    // About the clock or the signature: nothing that is wrong with the token.
    if (outcome.kind !== 'refused' || !isAboutToken(outcome)) return outcome;
    await this.#options.book.forget([token]);
    this.#options.onTokenDropped(token);
    return undefined;
  }

  #post(route: PushRoute, { token, platform, kind }: Registration): Promise<PushAnswer> {
    const isActivity = kind === 'liveactivity';
    const members = { token, platform, ...(isActivity ? { kind } : {}) };
    const suffix = isActivity ? `.${kind}` : '';
    return this.#options.transport.post(route, members, (ts) => `${ts}.${token}.${platform}${suffix}`);
  }
}

function isAboutToken({ error }: PushFailure): boolean {
  return error === 'invalid_request' || error === 'unsupported_platform';
}
