import * as v from 'valibot';
import type { Environment } from '../provider/push-provider.ts';
import { DATA_ENTRIES, type DataEntries } from './data-entries.ts';
import { DEVICE_TOKENS, signedTokens } from './device-token.ts';
import { ENVELOPE, type SignedRequest } from './envelope.ts';
import { check } from './parse-body.ts';
import { encodePayload } from './payload.ts';
import { isRefusal, type Refusal } from './refusal.ts';

/** An alert and whom it is for. */
export interface SendContent {
  /** As sent, duplicates included. */
  readonly tokens: readonly string[];
  readonly environment: Environment;
  readonly payload: Buffer;
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

/** Reads `send`. */
export function parseSend(json: unknown): SignedRequest<SendContent> | Refusal {
  const parsed = check(SEND, json);
  if (isRefusal(parsed)) return parsed;
  const { publicKeyJwk, ts, sig, tokens, title, env, collapseId } = parsed.value;
  const payload = encodePayload(alertPayload(parsed.value));
  if (isRefusal(payload)) return payload;
  return {
    envelope: { publicKeyJwk, ts, sig },
    signedText: `${ts}.${signedTokens(tokens)}.${title}`,
    content: { tokens, environment: env, payload, collapseId: collapseId === '' ? undefined : collapseId },
  };
}

interface Alert {
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
