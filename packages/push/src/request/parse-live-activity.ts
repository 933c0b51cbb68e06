import * as v from 'valibot';
import type { Payloads } from '../deliver/delivery-job.ts';
import type { Environment } from '../provider/push-provider.ts';
import { CONTENT_STATE, type ContentState, signedContentState } from './content-state.ts';
import { DEVICE_TOKENS, signedTokens } from './device-token.ts';
import { ENVELOPE, type SignedRequest } from './envelope.ts';
import { check } from './parse-body.ts';
import { encodePayload } from './payload.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import { ENVIRONMENT } from './parse-send.ts';

/** What happens to a Live Activity. */
export type LiveActivityEvent = 'update' | 'end';

/** A change of a Live Activity and whom it is for. */
export interface LiveActivityContent {
  /** As sent, duplicates included. */
  readonly tokens: readonly string[];
  readonly event: LiveActivityEvent;
  readonly environment: Environment;
  readonly payloads: Payloads;
}

const SECONDS = v.exactOptional(v.pipe(v.number(), v.safeInteger()));

const LIVE_ACTIVITY = v.pipe(
  v.object({
    ...ENVELOPE,
    tokens: DEVICE_TOKENS,
    event: v.picklist(['update', 'end']),
    contentState: CONTENT_STATE,
    dismissalDate: SECONDS,
    staleDate: SECONDS,
    env: ENVIRONMENT,
  }),
  v.check(
    ({ event, contentState }) => event === 'update' || contentState.endedAt !== undefined,
    'endedAt is required to end',
  ),
);

/** Reads `live-activity`. `nowMs`, since the epoch, becomes the time of the change: phones ignore older ones. */
export function parseLiveActivity(
  json: unknown,
  nowMs: number,
): SignedRequest<LiveActivityContent> | Refusal {
  const parsed = check(LIVE_ACTIVITY, json);
  if (isRefusal(parsed)) return parsed;
  const { publicKeyJwk, ts, sig, tokens, event, contentState, dismissalDate, staleDate, env } = parsed.value;
  const payload = encodePayload(changePayload(parsed.value, nowMs));
  if (isRefusal(payload)) return payload;
  const { head, tail } = signedContentState(contentState);
  return {
    envelope: { publicKeyJwk, ts, sig },
    signedText: `${ts}.${signedTokens(tokens)}.${event}.${head}.${dismissalDate ?? ''}.${staleDate ?? ''}${tail}`,
    content: { tokens, event, environment: env, payloads: { ios: payload } },
  };
}

interface Change {
  readonly event: LiveActivityEvent;
  readonly contentState: ContentState;
  readonly dismissalDate?: number;
  readonly staleDate?: number;
}

function changePayload({ event, contentState, dismissalDate, staleDate }: Change, nowMs: number): object {
  return {
    aps: {
      timestamp: Math.floor(nowMs / 1000),
      event,
      'content-state': contentState,
      ...(event === 'end' && dismissalDate !== undefined ? { 'dismissal-date': dismissalDate } : {}),
      ...(event === 'update' && staleDate !== undefined ? { 'stale-date': staleDate } : {}),
    },
  };
}
