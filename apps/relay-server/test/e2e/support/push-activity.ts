import { activityRequest, makeDeviceToken, makeIdentity } from '@openchambery/testkit';
import type { ActivityFields, ContentState, HostIdentity, RecordedRequest } from '@openchambery/testkit';
import { expect } from 'vitest';
import { expectRefused, post, registerActivity, requestsFor, requestsTotal, rowsOf } from './push-http.ts';
import type { ResultRow } from './push-http.ts';
import type { PushSetup } from './push-setup.ts';

/** A state without anything that is optional. */
export const state = { status: 'working', eventVersion: 7, updatedAt: 1_764_438_609_123 };

export const item = {
  sessionID: 'ses_4711',
  title: 'an item of the activity',
  status: 'tool',
  startedAt: 1_764_438_600_000,
};

export type ActivityAsk = Omit<ActivityFields, 'tokens'>;

export function update(contentState: ContentState, more: Partial<ActivityAsk> = {}): ActivityAsk {
  return { event: 'update', contentState, ...more };
}

export function end(contentState: ContentState, more: Partial<ActivityAsk> = {}): ActivityAsk {
  return { event: 'end', contentState, ...more };
}

/** A server with the token of one Live Activity. */
export async function boundActivity(
  setup: PushSetup,
): Promise<{ readonly identity: HostIdentity; readonly token: string }> {
  const identity = makeIdentity();
  const token = makeDeviceToken(80);
  await registerActivity(setup, identity, token);
  return { identity, token };
}

/** Pushes to one Live Activity, and gives back its rows. */
export async function pushTo(
  setup: PushSetup,
  { identity, token }: { readonly identity: HostIdentity; readonly token: string },
  ask: ActivityAsk,
): Promise<readonly ResultRow[]> {
  return rowsOf(await post(setup, activityRequest(identity, { tokens: [token], ...ask })));
}

/** Pushes to a fresh token, and gives back the one request that arrived at the sandbox. */
export async function deliverActivity(setup: PushSetup, ask: ActivityAsk): Promise<RecordedRequest> {
  const bound = await boundActivity(setup);
  expect(await pushTo(setup, bound, ask)).toEqual([{ token: bound.token, ok: true }]);
  const [request, ...more] = requestsFor(setup.sandbox, bound.token);
  if (request === undefined) throw new Error('nothing arrived');
  expect(more).toEqual([]);
  return request;
}

interface ActivityPayload {
  readonly aps: { readonly timestamp: number } & Readonly<Record<string, unknown>>;
}

/** The one member that the payload of a Live Activity has. */
export function apsOf({ payload }: RecordedRequest): ActivityPayload['aps'] {
  expect(Object.keys(payload as object)).toEqual(['aps']);
  return (payload as ActivityPayload).aps;
}

/** A push that is signed, then changed by `overrides`, is 400, and nothing is sent. */
export async function expectInvalidActivity(
  setup: PushSetup,
  ask: ActivityAsk,
  overrides: Record<string, unknown> = {},
): Promise<void> {
  const { identity, token } = await boundActivity(setup);
  const before = requestsTotal(setup);
  const request = activityRequest(identity, { tokens: [token], ...ask }, { overrides });
  expectRefused(await post(setup, request), 400, 'invalid_request');
  expect(requestsTotal(setup)).toBe(before);
}
