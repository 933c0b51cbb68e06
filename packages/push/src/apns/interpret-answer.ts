import { parseRetryAfter } from '../gateway/retry-after.ts';
import type { PushOutcome } from '../provider/push-outcome.ts';
import type { Answer } from './answer.ts';

/** Reasons of a 400 that speak of the token, the environment or the topic: which one, only another try can tell. */
const MISMATCHES: ReadonlySet<string> = new Set(['BadDeviceToken', 'DeviceTokenNotForTopic']);
/** Reasons of a 400 that no push with this configuration will escape. */
const TOPIC_FAULTS: ReadonlySet<string> = new Set(['BadTopic', 'MissingTopic', 'TopicDisallowed']);
/** Reasons of a 403 that a new provider token may cure: a wrong clock looks like either. */
const STALE_PROVIDER_TOKEN: ReadonlySet<string> = new Set(['ExpiredProviderToken', 'InvalidProviderToken']);

/** Reasons that say of a token that it is dead, whatever status they come with. */
const DEATHS: ReadonlySet<string> = new Set(['Unregistered', 'ExpiredToken']);

/** The whole of an accepted push: one object for all. */
export const ACCEPTED: PushOutcome = { kind: 'accepted' };

/** Whether a new provider token may turn this refusal into an acceptance. */
export function isStaleProviderToken(answer: Answer): boolean {
  return answer.status === 403 && answer.reason !== undefined && STALE_PROVIDER_TOKEN.has(answer.reason);
}

/** Whether Apple asks to stop minting provider tokens. */
export function isTooManyProviderTokens(answer: Answer): boolean {
  return answer.status === 429 && answer.reason === 'TooManyProviderTokenUpdates';
}

/**
 * What an answer means for the push and its token: Apple, "Handling notification responses from APNs".
 *
 * @param epochMs wall-clock time now.
 */
export function interpretAnswer(answer: Answer, epochMs: number): PushOutcome {
  const { status } = answer;
  const reason = answer.reason ?? `http-${status}`;
  if (status === 410 || (status >= 400 && status < 500 && DEATHS.has(reason))) {
    return { kind: 'dead', reason, sinceMs: parseTimestamp(answer.timestamp) };
  }
  switch (status) {
    case 200:
      return ACCEPTED;
    case 400:
      return interpretBadRequest(reason);
    case 401:
    case 403:
    case 407:
      // 401 and 407 are no answers of Apple's: a proxy in between wants credentials.
      return { kind: 'configuration-fault', reason };
    case 408:
    case 425:
    case 429:
      return { kind: 'later', reason, retryAfterMs: parseRetryAfter(answer.retryAfter, epochMs) };
    case 504:
      // A gateway that gave up waiting does not know either (RFC 9110 section 15.6.5).
      return { kind: 'unknown', reason };
    default:
      return interpretByClass({ ...answer, reason }, epochMs);
  }
}

function interpretBadRequest(reason: string): PushOutcome {
  if (MISMATCHES.has(reason)) return { kind: 'mismatch', reason };
  if (TOPIC_FAULTS.has(reason)) return { kind: 'configuration-fault', reason };
  return { kind: 'request-fault', reason };
}

function interpretByClass(answer: Answer & { readonly reason: string }, epochMs: number): PushOutcome {
  const { status, reason } = answer;
  if (status >= 500 && status <= 599) {
    return { kind: 'later', reason, retryAfterMs: parseRetryAfter(answer.retryAfter, epochMs) };
  }
  if (status >= 400 && status <= 499) return { kind: 'request-fault', reason };
  // APNs redirects nobody: the URL leads somewhere else.
  if (status >= 300 && status <= 399) return { kind: 'configuration-fault', reason };
  return { kind: 'unknown', reason };
}

/** Since when a token is dead, in ms. Whatever number it is is believed: an absurdly early one keeps the binding. */
function parseTimestamp(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
