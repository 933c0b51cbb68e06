import type { HostIdentity } from '../host-identity.ts';
import { signText, uniqueTs } from '../host-identity.ts';
import { activityText, sendText } from './signed-text.ts';
import type { ActivityFields, SendFields } from './signed-text.ts';

/** A signed request of the push API: where it goes, and the members of its JSON body. */
export interface PushRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface PushRequestOptions {
  /** Ms since the epoch. @default now, different on every call */
  readonly ts?: number;
  /** Signs this instead of the contract's text. */
  readonly signedText?: string;
  /** Changes members after signing, and adds some; undefined leaves one out. */
  readonly overrides?: Readonly<Record<string, unknown>>;
}

/** The paths of the push API. */
export const pushPaths = {
  register: '/v1/push/register-token',
  registerActivity: '/v1/push/register-live-activity-token',
  unregisterActivity: '/v1/push/unregister-live-activity-token',
  send: '/v1/push/send',
  activity: '/v1/push/live-activity',
} as const;

/** Binds `token` to the identity's server. */
export function registerRequest(
  identity: HostIdentity,
  token: string,
  options: PushRequestOptions = {},
): PushRequest {
  const { ts = uniqueTs() } = options;
  const text = `${ts}.${token}.ios`;
  return sign(identity, { path: pushPaths.register, ts, text, fields: { token, platform: 'ios' } }, options);
}

/** Binds `token`, of an Android phone, to the identity's server. */
export function registerAndroidRequest(
  identity: HostIdentity,
  token: string,
  options: PushRequestOptions = {},
): PushRequest {
  const { ts = uniqueTs() } = options;
  const text = `${ts}.${token}.android`;
  const fields = { token, platform: 'android' };
  return sign(identity, { path: pushPaths.register, ts, text, fields }, options);
}

/** Binds the token of a Live Activity to the identity's server. */
export function registerActivityRequest(
  identity: HostIdentity,
  token: string,
  options: PushRequestOptions = {},
): PushRequest {
  return activityTokenRequest(identity, { path: pushPaths.registerActivity, token }, options);
}

/** Ends the binding of a Live Activity's token. */
export function unregisterActivityRequest(
  identity: HostIdentity,
  token: string,
  options: PushRequestOptions = {},
): PushRequest {
  return activityTokenRequest(identity, { path: pushPaths.unregisterActivity, token }, options);
}

/** Sends an alert. */
export function sendRequest(
  identity: HostIdentity,
  fields: SendFields,
  options: PushRequestOptions = {},
): PushRequest {
  const { ts = uniqueTs() } = options;
  const text = sendText(ts, fields);
  return sign(identity, { path: pushPaths.send, ts, text, fields }, options);
}

/** Updates or ends a Live Activity. */
export function activityRequest(
  identity: HostIdentity,
  fields: ActivityFields,
  options: PushRequestOptions = {},
): PushRequest {
  const { ts = uniqueTs() } = options;
  const text = activityText(ts, fields);
  return sign(identity, { path: pushPaths.activity, ts, text, fields }, options);
}

function activityTokenRequest(
  identity: HostIdentity,
  { path, token }: { readonly path: string; readonly token: string },
  options: PushRequestOptions,
): PushRequest {
  const { ts = uniqueTs() } = options;
  const fields = { token, platform: 'ios', kind: 'liveactivity' };
  return sign(identity, { path, ts, text: `${ts}.${token}.ios.liveactivity`, fields }, options);
}

interface Draft {
  readonly path: string;
  readonly ts: number;
  readonly text: string;
  readonly fields: object;
}

function sign(identity: HostIdentity, draft: Draft, options: PushRequestOptions): PushRequest {
  const { path, ts, text, fields } = draft;
  const sig = signText(identity, options.signedText ?? text);
  return { path, body: { publicKeyJwk: identity.publicJwk, ts, ...fields, sig, ...options.overrides } };
}
