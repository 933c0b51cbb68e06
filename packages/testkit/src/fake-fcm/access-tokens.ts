import { randomBytes, verify } from 'node:crypto';
import type { FakeServiceAccount } from './service-account.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const LONGEST_LIFE_S = 3600;
/** How far Google's clock and ours may be apart. */
const SKEW_S = 300;
const REMEMBERED = 1000;

/** Checks assertions (RFC 7523, RS256), gives access tokens and knows which of them are good. */
export class AccessTokens {
  readonly #account: FakeServiceAccount;
  readonly #now: () => number;
  readonly #lifeS: number;
  /** Until when each is good, UNIX ms. */
  readonly #given = new Map<string, number>();
  #givenTotal = 0;

  constructor(account: FakeServiceAccount, now: () => number, lifeS: number) {
    this.#account = account;
    this.#now = now;
    this.#lifeS = lifeS;
  }

  get givenTotal(): number {
    return this.#givenTotal;
  }

  get lifeS(): number {
    return this.#lifeS;
  }

  /** Why a form gets no token, as `error` of RFC 6749 section 5.2; undefined when it gets one. */
  refuse(form: URLSearchParams): string | undefined {
    if (form.get('grant_type') !== GRANT) return 'unsupported_grant_type';
    const [head = '', claims = '', signature = '', ...rest] = (form.get('assertion') ?? '').split('.');
    const { alg, kid } = parseObject(head);
    const { iss, scope, aud, iat, exp } = parseObject(claims);
    const { clientEmail, keyId, tokenUri, publicKey } = this.#account;
    const isSigned =
      rest.length === 0 &&
      alg === 'RS256' &&
      (kid === undefined || kid === keyId) &&
      verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'));
    if (!isSigned || iss !== clientEmail || aud !== tokenUri) return 'invalid_grant';
    if (scope !== SCOPE) return 'invalid_scope';
    const nowS = this.#now() / 1000;
    if (typeof iat !== 'number' || typeof exp !== 'number') return 'invalid_grant';
    const isTimely = Math.abs(nowS - iat) <= SKEW_S && exp > nowS && exp <= iat + LONGEST_LIFE_S;
    return isTimely ? undefined : 'invalid_grant';
  }

  give(): string {
    const token = `ya29.${randomBytes(48).toString('base64url')}`;
    if (this.#given.size >= REMEMBERED) this.#given.clear();
    this.#given.set(token, this.#now() + this.#lifeS * 1000);
    this.#givenTotal += 1;
    return token;
  }

  isGood(authorization: string | undefined): boolean {
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
    const untilMs = token === undefined ? undefined : this.#given.get(token);
    return untilMs !== undefined && this.#now() < untilMs;
  }

  /** No token that was given is good any more. */
  revoke(): void {
    this.#given.clear();
  }
}

function parseObject(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // Not JSON is the same to Google as an assertion without claims: invalid.
    return {};
  }
}
