import type { PushOutcome } from '../provider/push-outcome.ts';
import { type FormAnswer, postForm } from './post-form.ts';
import type { ServiceAccount } from './service-account.ts';
import { signAssertion } from './sign-assertion.ts';

/** An access token as it was given. */
export interface GivenToken {
  readonly kind: 'token';
  readonly accessToken: string;
  /** How long it is good for, in ms. */
  readonly lifeMs: number;
}

/** What to ask, and where. */
export interface TokenRequest {
  readonly account: ServiceAccount;
  readonly url: URL;
  readonly ca: string | undefined;
  /** Wall-clock time in ms since the epoch. */
  readonly epochMs: number;
  readonly signal: AbortSignal;
}

/** A token, or what becomes of pushes without one. */
export type TokenAnswer = GivenToken | Extract<PushOutcome, { kind: 'configuration-fault' | 'later' }>;

/** It becomes a header (RFC 6750 section 2.1). */
const ACCESS_TOKEN = /^[A-Za-z0-9._~+/-]{1,8192}=*$/;
/** RFC 6749 section 5.2 has such words; anything else could be text that must not reach a log. */
const ERROR_WORD = /^[a-z_]{1,64}$/;
const MAX_LIFE_S = 24 * 3600;

/** Asks Google for an access token (RFC 7523 section 2.1). Never rejects. */
export async function fetchAccessToken(request: TokenRequest): Promise<TokenAnswer> {
  const { account, url, ca, epochMs, signal } = request;
  try {
    const assertion = await signAssertion(account, epochMs);
    const fields = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
    return read(await postForm({ url, fields, ca, signal }));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no-answer';
    return later(signal.aborted ? 'oauth-timeout' : `oauth-${code}`);
  }
}

function read({ status, json }: FormAnswer): TokenAnswer {
  if (status === 200) {
    const accessToken = json?.['access_token'];
    const life = json?.['expires_in'];
    const isUsable = typeof accessToken === 'string' && ACCESS_TOKEN.test(accessToken);
    if (!isUsable || typeof life !== 'number' || !(life > 0)) return later('oauth-bad-answer');
    return { kind: 'token', accessToken, lifeMs: Math.min(life, MAX_LIFE_S) * 1000 };
  }
  if (status === 429 || status >= 500) return later(`oauth-http-${status}`);
  const error = json?.['error'];
  const reason = typeof error === 'string' && ERROR_WORD.test(error) ? error : `http-${status}`;
  return { kind: 'configuration-fault', reason: `oauth-${reason}` };
}

function later(reason: string): TokenAnswer {
  return { kind: 'later', reason, retryAfterMs: undefined };
}
