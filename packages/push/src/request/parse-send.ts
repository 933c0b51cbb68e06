import * as v from 'valibot';
import type { Platform } from '../binding/binding.ts';
import type { Payloads } from '../deliver/delivery-job.ts';
import type { Environment } from '../provider/push-provider.ts';
import { DATA_ENTRIES, type DataEntries } from './data-entries.ts';
import { DEVICE_TOKENS, isAppleToken, MIXED_TOKENS, signedTokens } from './device-token.ts';
import { ENVELOPE, type SignedRequest } from './envelope.ts';
import { encodeFcmMessage } from './fcm-message.ts';
import { check } from './parse-body.ts';
import { encodePayload } from './payload.ts';
import { isRefusal, type Refusal } from './refusal.ts';

/** An alert and whom it is for. */
export interface SendContent {
  /** As sent, duplicates included. */
  readonly tokens: readonly string[];
  readonly environment: Environment;
  readonly payloads: Payloads;
  readonly collapseId: string | undefined;
}

/** Where a server's app comes from when it does not say. */
const DEFAULT_ENVIRONMENT: Environment = 'sandbox';

/** `env` of both send routes. */
export const ENVIRONMENT = v.exactOptional(v.picklist(['production', 'sandbox']), DEFAULT_ENVIRONMENT);

const SEND = v.object({
  ...ENVELOPE,
  tokens: DEVICE_TOKENS,
  title: v.pipe(v.string(), v.minBytes(1), v.maxBytes(256)),
  body: v.exactOptional(v.pipe(v.string(), v.maxBytes(1024)), ''),
  badge: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  // It becomes a header: printable ASCII alone, which makes characters bytes.
  collapseId: v.exactOptional(v.pipe(v.string(), v.regex(/^[\x20-\x7e]{0,64}$/)), ''),
  env: ENVIRONMENT,
  data: v.exactOptional(DATA_ENTRIES, {}),
});

const MIXED_SEND = v.object({ ...SEND.entries, tokens: MIXED_TOKENS });
const APPLE: readonly Platform[] = ['ios'];

/** Reads `send`; `platforms` are those that are served. */
export function parseSend(
  json: unknown,
  platforms: readonly Platform[] = APPLE,
): SignedRequest<SendContent> | Refusal {
  const parsed = platforms.includes('android') ? check(MIXED_SEND, json) : check(SEND, json);
  if (isRefusal(parsed)) return parsed;
  const { publicKeyJwk, ts, sig, tokens, title, env, collapseId } = parsed.value;
  const payloads = encodePayloads(parsed.value, platforms);
  if (isRefusal(payloads)) return payloads;
  return {
    envelope: { publicKeyJwk, ts, sig },
    signedText: `${ts}.${signedTokens(tokens)}.${title}`,
    content: { tokens, environment: env, payloads, collapseId: collapseId === '' ? undefined : collapseId },
  };
}

/** What a service would refuse is refused here, when a token of the request has the form of its tokens alone. */
function encodePayloads(alert: Alert, platforms: readonly Platform[]): Payloads | Refusal {
  const areApple = alert.tokens.map((token) => isAppleToken(token));
  const ios = areApple.includes(true) ? encodePayload(alertPayload(alert)) : undefined;
  if (ios !== undefined && isRefusal(ios)) return ios;
  const apple = ios === undefined ? {} : { ios };
  if (!platforms.includes('android')) return apple;
  const android = encodeFcmMessage(alert);
  if (!isRefusal(android)) return { ...apple, android };
  return areApple.includes(false) ? android : apple;
}

interface Alert {
  readonly tokens: readonly string[];
  readonly title: string;
  readonly body: string;
  readonly badge?: number;
  readonly collapseId: string;
  readonly data: DataEntries;
}

function alertPayload({ title, body, badge, collapseId, data }: Alert): object {
  const aps = {
    alert: { title, ...(body === '' ? {} : { body }) },
    sound: 'default',
    'mutable-content': 1,
    ...(badge === undefined ? {} : { badge }),
    ...(collapseId === '' ? {} : { 'thread-id': collapseId }),
  };
  return { aps, ...data };
}
