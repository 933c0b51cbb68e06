import * as v from 'valibot';
import type { BindingKind, Platform } from '../binding/binding.ts';
import { canonicalToken, DEVICE_TOKEN } from './device-token.ts';
import { ENVELOPE, type SignedRequest } from './envelope.ts';
import { check } from './parse-body.ts';
import { isRefusal, type Refusal } from './refusal.ts';

/** A token to bind or to forget. */
export interface RegistrationContent {
  readonly token: string;
  readonly platform: Platform;
  readonly kind: BindingKind;
}

const PLATFORM = v.object({ platform: v.picklist(['ios', 'android']) });
const DEVICE = v.object({ ...ENVELOPE, token: DEVICE_TOKEN, platform: v.literal('ios') });
const LIVE_ACTIVITY = v.object({ ...DEVICE.entries, kind: v.literal('liveactivity') });

/** Reads `register-token`. */
export function parseRegistration(json: unknown): SignedRequest<RegistrationContent> | Refusal {
  const unsupported = findUnsupportedPlatform(json);
  if (unsupported !== undefined) return unsupported;
  const parsed = check(DEVICE, json);
  if (isRefusal(parsed)) return parsed;
  const { token, platform, ...envelope } = parsed.value;
  return {
    envelope,
    signedText: `${envelope.ts}.${token}.${platform}`,
    content: { token: canonicalToken(token), platform, kind: 'device' },
  };
}

/** Reads `register-live-activity-token` and `unregister-live-activity-token`: the same members, the same text. */
export function parseLiveActivityRegistration(json: unknown): SignedRequest<RegistrationContent> | Refusal {
  const unsupported = findUnsupportedPlatform(json);
  if (unsupported !== undefined) return unsupported;
  const parsed = check(LIVE_ACTIVITY, json);
  if (isRefusal(parsed)) return parsed;
  const { token, platform, kind, ...envelope } = parsed.value;
  return {
    envelope,
    signedText: `${envelope.ts}.${token}.${platform}.${kind}`,
    content: { token: canonicalToken(token), platform, kind },
  };
}

/** Before anything else, since tokens of another platform look different. */
function findUnsupportedPlatform(json: unknown): Refusal | undefined {
  const parsed = check(PLATFORM, json);
  if (isRefusal(parsed)) return parsed;
  if (parsed.value.platform === 'ios') return undefined;
  return { refusal: 'unsupported_platform', detail: 'platform: no provider for it is configured' };
}
