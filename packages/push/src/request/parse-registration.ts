import * as v from 'valibot';
import type { BindingKind, Platform } from '../binding/binding.ts';
import { canonicalToken, DEVICE_TOKEN, FCM_TOKEN } from './device-token.ts';
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
const ANDROID = v.object({ ...ENVELOPE, token: FCM_TOKEN, platform: v.literal('android') });
const LIVE_ACTIVITY = v.object({ ...DEVICE.entries, kind: v.literal('liveactivity') });

/** Live Activities are Apple's alone. */
const APPLE: readonly Platform[] = ['ios'];

/** Reads `register-token`; `platforms` are those that are served. */
export function parseRegistration(
  json: unknown,
  platforms: readonly Platform[] = APPLE,
): SignedRequest<RegistrationContent> | Refusal {
  const served = findPlatform(json, platforms);
  if (isRefusal(served)) return served;
  const parsed = served.platform === 'ios' ? check(DEVICE, json) : check(ANDROID, json);
  if (isRefusal(parsed)) return parsed;
  const { token, platform, ...envelope } = parsed.value;
  return {
    envelope,
    signedText: `${envelope.ts}.${token}.${platform}`,
    content: { token: platform === 'ios' ? canonicalToken(token) : token, platform, kind: 'device' },
  };
}

/** Reads `register-live-activity-token` and `unregister-live-activity-token`: the same members, the same text. */
export function parseLiveActivityRegistration(json: unknown): SignedRequest<RegistrationContent> | Refusal {
  const served = findPlatform(json, APPLE);
  if (isRefusal(served)) return served;
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
function findPlatform(
  json: unknown,
  platforms: readonly Platform[],
): { readonly platform: Platform } | Refusal {
  const parsed = check(PLATFORM, json);
  if (isRefusal(parsed)) return parsed;
  if (platforms.includes(parsed.value.platform)) return parsed.value;
  return { refusal: 'unsupported_platform', detail: 'platform: no provider for it is configured' };
}
