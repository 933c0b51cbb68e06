import type { Dialect } from '../gateway/dialect.ts';
import type { Environment } from '../provider/push-provider.ts';
import { MAX_ANSWER_BYTES, parseAnswer, parseReason } from './answer.ts';
import { checkFor } from './fault-checks.ts';
import {
  ACCEPTED,
  interpretAnswer,
  isStaleProviderToken,
  isTooManyProviderTokens,
} from './interpret-answer.ts';
import { RequestHeaders } from './request-headers.ts';

/** What tells one of Apple's two services from the other. */
export interface ApnsDialectParts {
  readonly environment: Environment;
  readonly url: URL;
  readonly bundleId: string;
  /** Wall-clock time in ms since the epoch. */
  readonly epochMs: () => number;
}

/** How Apple's push service is asked and what it answers. */
export function createApnsDialect({ environment, ...parts }: ApnsDialectParts): Dialect {
  const headers = new RequestHeaders(parts);
  return {
    name: 'APNs',
    title: `APNs (${environment})`,
    fields: { environment },
    maxAnswerBytes: MAX_ANSWER_BYTES,
    request: (notification, bearer) => ({
      headers: headers.build(notification, bearer),
      body: notification.payload,
    }),
    read: (raw, epochMs) => {
      if (raw.status === 200) return READ_ACCEPTED;
      const answer = parseAnswer(raw);
      const outcome = interpretAnswer(answer, epochMs);
      if (isStaleProviderToken(answer)) return { outcome, credential: 'stale' };
      return { outcome, credential: isTooManyProviderTokens(answer) ? 'hold' : 'good' };
    },
    goAwayReason: parseReason,
    checkFor,
  };
}

const READ_ACCEPTED = { outcome: ACCEPTED, credential: 'good' } as const;
