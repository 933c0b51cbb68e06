import {
  activityRequest,
  activityText,
  makeDeviceToken,
  makeIdentity,
  signText,
  uniqueTs,
} from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import {
  apsOf,
  boundActivity,
  deliverActivity,
  end,
  item,
  pushTo,
  state,
  update,
} from './support/push-activity.ts';
import type { ActivityAsk } from './support/push-activity.ts';
import { boundServer, expectRefused, post, registerActivity, rowsOf } from './support/push-http.ts';
import { BUNDLE_ID, usePush } from './support/push-setup.ts';

// Push API §4: updates and ends of Live Activities, how they are signed and what comes back.

const setup = usePush();
const now = Math.floor(Date.now() / 1000);

describe('what reaches Apple', () => {
  it('of an update', async () => {
    const before = Math.floor(Date.now() / 1000);
    const request = await deliverActivity(setup, update(state));
    const { timestamp, ...rest } = apsOf(request);
    expect(rest).toEqual({ event: 'update', 'content-state': state });
    expect(Number.isInteger(timestamp)).toBe(true);
    expect(timestamp).toBeGreaterThanOrEqual(before - 1);
    expect(timestamp).toBeLessThanOrEqual(Date.now() / 1000 + 1);
    expect(request.headers).toMatchObject({
      ':method': 'POST',
      'apns-topic': `${BUNDLE_ID}.push-type.liveactivity`,
      'apns-push-type': 'liveactivity',
      'apns-priority': '10',
    });
    expect(request.headers).not.toHaveProperty('apns-collapse-id');
    expect(request.jwt?.valid).toBe(true);
  });

  it('of an end', async () => {
    const contentState = { ...state, status: 'complete', endedAt: 1_764_438_700_000 };
    const { timestamp: _, ...rest } = apsOf(await deliverActivity(setup, end(contentState)));
    expect(rest).toEqual({ event: 'end', 'content-state': contentState });
  });

  it('of everything a state may have', async () => {
    const items = [item, { ...item, sessionID: 'ses_4712', endedAt: 1_764_438_650_000 }];
    const contentState = {
      ...state,
      endedAt: 1_764_438_700_000,
      title: 'a title of the activity',
      workingCount: 2,
      items,
    };
    const aps = apsOf(await deliverActivity(setup, update(contentState)));
    expect(aps['content-state']).toEqual(contentState);
  });

  it.each([
    ['an update keeps stale-date', update(state, { staleDate: now + 60 }), { 'stale-date': now + 60 }],
    ['an update drops dismissal-date', update(state, { dismissalDate: now + 60 }), {}],
    [
      'an update with both has stale-date',
      update(state, { dismissalDate: now + 60, staleDate: now + 90 }),
      { 'stale-date': now + 90 },
    ],
    [
      'an end keeps dismissal-date',
      end({ ...state, endedAt: 1 }, { dismissalDate: now }),
      { 'dismissal-date': now },
    ],
    ['an end drops stale-date', end({ ...state, endedAt: 1 }, { staleDate: now }), {}],
    [
      'an end with both has dismissal-date',
      end({ ...state, endedAt: 1 }, { dismissalDate: now, staleDate: now + 1 }),
      { 'dismissal-date': now },
    ],
  ])('%s', async (_name, fields, expected) => {
    const {
      timestamp: _,
      event,
      'content-state': contentState,
      ...dates
    } = apsOf(await deliverActivity(setup, fields));
    expect([event, contentState]).toEqual([fields.event, fields.contentState]);
    expect(dates).toEqual(expected);
  });

  it('goes to the environment that is named', async () => {
    const { identity, token } = await boundActivity(setup);
    expect(await pushTo(setup, { identity, token }, update(state, { env: 'production' }))).toEqual([
      { token, ok: true },
    ]);
    expect([setup.sandbox.count(token), setup.production.count(token)]).toEqual([0, 1]);
  });
});

describe('the signed text', () => {
  const token = makeDeviceToken(80);

  it.each<readonly [string, ActivityAsk, string]>([
    ['of an update', update(state), 'update.working.7.1764438609123...'],
    [
      'of an end with dates',
      end({ ...state, endedAt: 5 }, { dismissalDate: 6, staleDate: 7 }),
      'end.working.7.1764438609123.5.6.7',
    ],
    ['with a title', update({ ...state, title: 'T' }), 'update.working.7.1764438609123....T..[]'],
    ['with workingCount', update({ ...state, workingCount: 0 }), 'update.working.7.1764438609123.....0.[]'],
    [
      'with items',
      update(
        { ...state, items: [{ sessionId: 's', status: 'tool', startedAt: 1, endedAt: 2 }] },
        { staleDate: 3 },
      ),
      'update.working.7.1764438609123...3...[{"sessionID":"s","title":"","status":"tool","startedAt":1,"endedAt":2}]',
    ],
  ])('%s is what the contract says', async (_name, fields, rest) => {
    const identity = makeIdentity();
    const ts = uniqueTs();
    const signedText = `${ts}.${token}.${rest}`;
    // The client of these tests builds the same text.
    expect(activityText(ts, { tokens: [token], ...fields })).toBe(signedText);
    const request = activityRequest(identity, { tokens: [token], ...fields }, { ts, signedText });
    expect(rowsOf(await post(setup, request))).toEqual([{ token, ok: false }]);
  });

  it.each<readonly [string, ActivityAsk, Record<string, unknown>]>([
    ['event', update({ ...state, endedAt: 1 }), { event: 'end' }],
    ['status', update(state), { contentState: { ...state, status: 'error' } }],
    ['eventVersion', update(state), { contentState: { ...state, eventVersion: 8 } }],
    ['updatedAt', update(state), { contentState: { ...state, updatedAt: 8 } }],
    ['endedAt', update(state), { contentState: { ...state, endedAt: 8 } }],
    ['dismissalDate', update(state), { dismissalDate: 8 }],
    ['staleDate', update(state), { staleDate: 8 }],
    ['title', update(state), { contentState: { ...state, title: 'added' } }],
    ['workingCount', update(state), { contentState: { ...state, workingCount: 0 } }],
    ['items', update(state), { contentState: { ...state, items: [] } }],
    [
      'an item',
      update({ ...state, items: [item] }),
      { contentState: { ...state, items: [{ ...item, title: 'x' }] } },
    ],
    ['tokens', update(state), { tokens: [makeDeviceToken(80)] }],
  ])('covers %s', async (_name, fields, overrides) => {
    const { identity, token: bound } = await boundActivity(setup);
    const request = activityRequest(identity, { tokens: [bound], ...fields }, { overrides });
    expectRefused(await post(setup, request), 401, 'invalid_signature');
    expect(setup.sandbox.count(bound)).toBe(0);
  });

  it('is the long form for an update with a title, not the short one', async () => {
    const { identity, token: bound } = await boundActivity(setup);
    const fields = { tokens: [bound], ...update({ ...state, title: 'T' }) };
    const ts = uniqueTs();
    const signedText = activityText(ts, { ...fields, contentState: state });
    expectRefused(
      await post(setup, activityRequest(identity, fields, { ts, signedText })),
      401,
      'invalid_signature',
    );
  });

  it('is the short form for an update without title, workingCount and items, not the long one', async () => {
    const { identity, token: bound } = await boundActivity(setup);
    const fields = { tokens: [bound], ...update(state) };
    const ts = uniqueTs();
    const signedText = `${activityText(ts, fields)}...[]`;
    const request = activityRequest(identity, fields, {
      ts,
      overrides: { sig: signText(identity, signedText) },
    });
    expectRefused(await post(setup, request), 401, 'invalid_signature');
  });
});

describe('results', () => {
  it('of an accepted end: the binding is gone, as after an unregistration', async () => {
    const { identity, token } = await boundActivity(setup);
    expect(await pushTo(setup, { identity, token }, end({ ...state, endedAt: 1 }))).toEqual([
      { token, ok: true },
    ]);
    expect(await pushTo(setup, { identity, token }, update(state))).toEqual([{ token, ok: false }]);
    expect(await pushTo(setup, { identity, token }, end({ ...state, endedAt: 2 }))).toEqual([
      { token, ok: false },
    ]);
    expect(setup.sandbox.count(token)).toBe(1);
    await registerActivity(setup, identity, token);
    expect(await pushTo(setup, { identity, token }, update(state))).toEqual([{ token, ok: true }]);
  });

  it('of an accepted update: the binding stays', async () => {
    const { identity, token } = await boundActivity(setup);
    for (let i = 1; i <= 3; i++) {
      expect(await pushTo(setup, { identity, token }, update({ ...state, eventVersion: i }))).toEqual([
        { token, ok: true },
      ]);
    }
    expect(setup.sandbox.count(token)).toBe(3);
  });

  it('of an end that was not accepted: the binding stays', async () => {
    const { identity, token } = await boundActivity(setup);
    setup.sandbox.script(token, { status: 413, reason: 'PayloadTooLarge' }, { status: 200 });
    const last = end({ ...state, endedAt: 1 });
    expect(await pushTo(setup, { identity, token }, last)).toEqual([{ token, ok: false }]);
    expect(await pushTo(setup, { identity, token }, last)).toEqual([{ token, ok: true }]);
    expect(setup.sandbox.count(token)).toBe(2);
  });

  it('of a dead token: dropped', async () => {
    const { identity, token } = await boundActivity(setup);
    setup.sandbox.script(token, { status: 410, reason: 'Unregistered', timestampMs: Date.now() + 60_000 });
    expect(await pushTo(setup, { identity, token }, update(state))).toEqual([
      { token, ok: false, drop: true },
    ]);
    expect(await pushTo(setup, { identity, token }, update(state))).toEqual([{ token, ok: false }]);
    expect(setup.sandbox.count(token)).toBe(1);
  });

  it('of an end that only the other environment accepted: the binding is gone', async () => {
    const { identity, token } = await boundActivity(setup);
    setup.sandbox.script(token, { status: 400, reason: 'BadDeviceToken' });
    expect(await pushTo(setup, { identity, token }, end({ ...state, endedAt: 1 }))).toEqual([
      { token, ok: true },
    ]);
    expect(await pushTo(setup, { identity, token }, update(state))).toEqual([{ token, ok: false }]);
    expect([setup.sandbox.count(token), setup.production.count(token)]).toEqual([1, 1]);
  });

  it('of a token that only the other environment knows: delivered there, and remembered', async () => {
    const { identity, token } = await boundActivity(setup);
    setup.sandbox.script(token, { status: 400, reason: 'BadDeviceToken' });
    for (const eventVersion of [1, 2]) {
      const rows = await pushTo(setup, { identity, token }, update({ ...state, eventVersion }));
      expect(rows).toEqual([{ token, ok: true }]);
    }
    expect([setup.sandbox.count(token), setup.production.count(token)]).toEqual([1, 2]);
  });

  it('come in the order of the tokens, one for each that is distinct', async () => {
    const { identity, token: first } = await boundActivity(setup);
    const second = makeDeviceToken(80);
    await registerActivity(setup, identity, second);
    const { token: foreign } = await boundServer(setup);
    const tokens = [second, foreign, first, second];
    const answer = await post(setup, activityRequest(identity, { tokens, ...update(state) }));
    expect(rowsOf(answer)).toEqual([
      { token: second, ok: true },
      { token: foreign, ok: false },
      { token: first, ok: true },
    ]);
    expect([first, second, foreign].map((token) => setup.sandbox.count(token))).toEqual([1, 1, 0]);
  });
});
