import type { PushFailure } from './push-outcome.ts';

/** A relay that asks for a longer pause is not believed, in ms. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/** What a person can do about the codes of the contract. */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_request: 'the push relay does not take this request; is a field too long, or a token not one?',
  unsupported_platform: 'the push relay has no service for this platform',
  timestamp: 'the clock of this machine differs too much from the one of the push relay',
  invalid_signature: 'the push relay does not accept the signature; does another Host own the token?',
  replay: 'the push relay has seen this request before',
  payload_too_large: 'the push is too large',
  rate_limited: 'too many requests to the push relay',
  token_limit: 'the push relay has no room for another token',
  internal: 'the push relay has a fault',
  shutting_down: 'the push relay is shutting down',
};

/** The push relay cannot be reached, or does not answer as one. */
export function unavailable(message: string): PushFailure {
  return { isOk: false, kind: 'unavailable', message };
}

/** What an answer other than 200 means. */
export function failureOf(response: Response, json: unknown): PushFailure {
  const { status } = response;
  const error = errorCode(json);
  const advice = error === undefined ? undefined : ADVICE[error];
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'));
  return {
    isOk: false,
    kind: kindOf(status, error),
    message: advice ?? describeStatus(status),
    ...(advice === undefined ? {} : { error }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function kindOf(status: number, error: string | undefined): PushFailure['kind'] {
  if (status === 429) return error === 'token_limit' ? 'token-limit' : 'rate-limited';
  // Of the 4xx only those that carry a code of the contract come from a push relay; a proxy may just not reach it.
  return status >= 400 && status < 500 && error !== undefined ? 'refused' : 'unavailable';
}

function describeStatus(status: number): string {
  if (status >= 300 && status < 400)
    return `HTTP ${status}: the push relay is elsewhere; put the final URL in the settings`;
  if (status === 404) return 'HTTP 404: no push relay at this URL; is push turned on at the relay?';
  return `HTTP ${status}: what answers there is no push relay, or is not well`;
}

/** RFC 9110 section 10.2.3: seconds; the form with a date is not used by push relays. */
function parseRetryAfter(text: string | null): number | undefined {
  if (text === null || !/^\d{1,9}$/.test(text)) return undefined;
  return Math.min(Number(text) * 1000, MAX_RETRY_AFTER_MS);
}

function errorCode(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null || !('error' in json)) return undefined;
  return typeof json.error === 'string' && Object.hasOwn(ADVICE, json.error) ? json.error : undefined;
}
