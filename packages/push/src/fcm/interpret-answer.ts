import type { Answer } from '../gateway/answer.ts';
import type { Reading } from '../gateway/dialect.ts';
import { parseRetryAfter } from '../gateway/retry-after.ts';
import type { PushOutcome } from '../provider/push-outcome.ts';
import { type FcmError, parseFcmError } from './fcm-answer.ts';

/** The reason of a push that FCM finds wrong, or of a token that is. */
export const INVALID_ARGUMENT = 'INVALID_ARGUMENT';
/** Firebase, "Scale FCM": whoever is over quota waits a minute where FCM does not say how long. In ms. */
const QUOTA_WAIT_MS = 60_000;

const ACCEPTED: Reading = { outcome: { kind: 'accepted' }, credential: 'good' };

/** When an answer came, and how long to wait where it does not say. */
export interface AnswerContext {
  /** Wall-clock time in ms since the epoch. */
  readonly epochMs: number;
  /** After a fault of the service; asked for only then. In ms. */
  readonly waitMs: () => number;
}

/** What an answer means for the push, its token and our access token: Firebase, "ErrorCode" and "Scale FCM". */
export function interpretAnswer(answer: Answer, context: AnswerContext): Reading {
  const { status } = answer;
  if (status === 200) return ACCEPTED;
  const error = parseFcmError(answer.body);
  const outcome = interpretRefusal(answer, error, context);
  // The project's key for Apple or for browsers is at fault then, and no token of ours.
  const isStale = status === 401 && error.errorCode !== 'THIRD_PARTY_AUTH_ERROR';
  return { outcome, credential: isStale ? 'stale' : 'good' };
}

function interpretRefusal(answer: Answer, error: FcmError, { epochMs, waitMs }: AnswerContext): PushOutcome {
  const { status } = answer;
  const reason = error.errorCode ?? error.status ?? `http-${status}`;
  const askedMs = parseRetryAfter(answer.retryAfter, epochMs);
  switch (status) {
    case 401:
      return { kind: 'configuration-fault', reason };
    case 403:
      if (error.errorCode === 'SENDER_ID_MISMATCH') return { kind: 'mismatch', reason };
      return { kind: 'configuration-fault', reason };
    case 404:
      return interpretNotFound(error.errorCode, reason);
    case 429:
      return { kind: 'later', reason, retryAfterMs: askedMs ?? QUOTA_WAIT_MS };
    case 408:
    case 425:
      return { kind: 'later', reason, retryAfterMs: askedMs };
    case 504:
      // A gateway that gave up waiting does not know either (RFC 9110 section 15.6.5).
      return { kind: 'unknown', reason };
    default:
      break;
  }
  if (status >= 500 && status <= 599) return { kind: 'later', reason, retryAfterMs: askedMs ?? waitMs() };
  if (status >= 400 && status <= 499 && status !== 407) return { kind: 'request-fault', reason };
  // FCM redirects nobody, and asks for no credentials of a proxy: the URL leads somewhere else.
  if (status === 407 || (status >= 300 && status <= 399)) return { kind: 'configuration-fault', reason };
  return { kind: 'unknown', reason };
}

/** Without a word of FCM's it is the project that is not found, and no token. */
function interpretNotFound(errorCode: string | undefined, reason: string): PushOutcome {
  if (errorCode === 'UNREGISTERED') return { kind: 'dead', reason, sinceMs: undefined };
  return { kind: errorCode === undefined ? 'configuration-fault' : 'request-fault', reason };
}
