import {
  activityRequest,
  activityText,
  makeDeviceToken,
  uniqueTs,
  validatedItem,
} from '@openchambery/testkit';
import type { ContentState } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import {
  apsOf,
  boundActivity,
  deliverActivity,
  end,
  expectInvalidActivity,
  item,
  pushTo,
  state,
  update,
} from './support/push-activity.ts';
import { expectRefused, post, postText, requestsFor } from './support/push-http.ts';
import { usePush } from './support/push-setup.ts';

// Push API §4: what a Live Activity push may ask for.

const setup = usePush();
const now = Math.floor(Date.now() / 1000);

describe('a member at its limit', () => {
  const statuses = ['working', 'tool', 'retry', 'input', 'permission', 'stale', 'complete', 'error'];

  it.each<readonly [string, ContentState]>([
    ...statuses.map((status): [string, ContentState] => [`status ${status}`, { ...state, status }]),
    ['eventVersion 0', { ...state, eventVersion: 0 }],
    ['updatedAt 0', { ...state, updatedAt: 0 }],
    ['updatedAt with a fraction', { ...state, updatedAt: 1_764_438_609.25 }],
    ['endedAt 0 in an update', { ...state, endedAt: 0 }],
    ['endedAt with a fraction', { ...state, endedAt: 1.5 }],
    ['a title of 80 units', { ...state, title: 'x'.repeat(80) }],
    ['a title of 80 units in 40 characters', { ...state, title: '🎉'.repeat(40) }],
    ['a title of 80 units in 240 bytes', { ...state, title: '値'.repeat(80) }],
    ['a title that is empty', { ...state, title: '' }],
    ['a title alone', { ...state, title: 'a title, and nothing else' }],
    ['a title with dots', { ...state, title: 'a.b..c' }],
    ['workingCount 0 alone', { ...state, workingCount: 0 }],
    ['workingCount 3', { ...state, workingCount: 3 }],
    ['no items', { ...state, items: [] }],
    ['4 items', { ...state, items: ['a', 'b', 'c', 'd'].map((sessionID) => ({ ...item, sessionID })) }],
    ['a sessionID of 1 unit', { ...state, items: [{ ...item, sessionID: 'x' }] }],
    ['a sessionID of 128 units', { ...state, items: [{ ...item, sessionID: 'x'.repeat(128) }] }],
    [
      'a sessionID of 128 units in 384 bytes',
      { ...state, items: [{ ...item, sessionID: '値'.repeat(128) }] },
    ],
    ['an item title of 80 units', { ...state, items: [{ ...item, title: '値'.repeat(80) }] }],
    ['an item title that is empty', { ...state, items: [{ ...item, title: '' }] }],
    ['an item title with quotes', { ...state, items: [{ ...item, title: 'a "quoted" \\ text' }] }],
    ['an item with an end', { ...state, items: [{ ...item, endedAt: 5 }] }],
  ])('%s is signed and sent as it is', async (_name, contentState) => {
    expect(apsOf(await deliverActivity(setup, update(contentState)))['content-state']).toEqual(contentState);
  });

  it.each<readonly [string, Record<string, unknown>]>([
    ...['', 'Working', 'running', 'constructor'].map((status): [string, Record<string, unknown>] => [
      `status "${status}"`,
      { status },
    ]),
    ['no status', { status: undefined }],
    ['status null', { status: null }],
    ['status 1', { status: 1 }],
    ['no eventVersion', { eventVersion: undefined }],
    ['eventVersion null', { eventVersion: null }],
    ['eventVersion 1.5', { eventVersion: 1.5 }],
    ['eventVersion "1"', { eventVersion: '1' }],
    ['no updatedAt', { updatedAt: undefined }],
    ['updatedAt null', { updatedAt: null }],
    ['updatedAt "1"', { updatedAt: '1' }],
    ['endedAt null', { endedAt: null }],
    ['endedAt "1"', { endedAt: '1' }],
    ['a title of 81 units', { title: 'x'.repeat(81) }],
    ['a title of 82 units in 41 characters', { title: '🎉'.repeat(41) }],
    ['title null', { title: null }],
    ['title 1', { title: 1 }],
    ['workingCount -1', { workingCount: -1 }],
    ['workingCount 1.5', { workingCount: 1.5 }],
    ['workingCount null', { workingCount: null }],
    ['workingCount "1"', { workingCount: '1' }],
    ['items null', { items: null }],
    ['items that are an object', { items: {} }],
    ['5 items', { items: Array.from({ length: 5 }, () => item) }],
    ['an item that is null', { items: [null] }],
    ['an item that is a string', { items: ['x'] }],
    ['an item that is a list', { items: [[]] }],
    ['an item without sessionID', { items: [{ ...item, sessionID: undefined }] }],
    ['an empty sessionID', { items: [{ ...item, sessionID: '' }] }],
    ['a sessionID of 129 units', { items: [{ ...item, sessionID: 'x'.repeat(129) }] }],
    ['a sessionId of 129 units', { items: [{ ...item, sessionID: undefined, sessionId: 'x'.repeat(129) }] }],
    ['an empty sessionId', { items: [{ ...item, sessionID: undefined, sessionId: '' }] }],
    ['a sessionID that is a number', { items: [{ ...item, sessionID: 1 }] }],
    ['a sessionID of null', { items: [{ ...item, sessionID: null }] }],
    ['an item title that is a number', { items: [{ ...item, title: 1 }] }],
    ['an item title of null', { items: [{ ...item, title: null }] }],
    ['an item without status', { items: [{ ...item, status: undefined }] }],
    ['an item status that is a number', { items: [{ ...item, status: 1 }] }],
    ['an item without startedAt', { items: [{ ...item, startedAt: undefined }] }],
    ['a startedAt that is a string', { items: [{ ...item, startedAt: '1' }] }],
    ['a startedAt of null', { items: [{ ...item, startedAt: null }] }],
    ['an item endedAt of null', { items: [{ ...item, endedAt: null }] }],
    ['an item endedAt that is a string', { items: [{ ...item, endedAt: '1' }] }],
    ['a member nobody knows', { progress: 1 }],
    ['a member nobody knows that is null', { progress: null }],
  ])('%s is 400', async (_name, members) => {
    await expectInvalidActivity(setup, update(state), { contentState: { ...state, ...members } });
  });

  it.each(['eventVersion', 'updatedAt', 'endedAt', 'workingCount'])('%s of 1e999 is 400', async (name) => {
    const { identity, token } = await boundActivity(setup);
    const contentState = { ...state, endedAt: 1, workingCount: 1, [name]: 4711 };
    const { path, body } = activityRequest(identity, { tokens: [token], ...update(contentState) });
    const text = JSON.stringify(body).replace(`"${name}":4711`, `"${name}":1e999`);
    expect(text).toContain('1e999');
    expectRefused(await postText(setup, path, text), 400, 'invalid_request');
  });

  it.each(['startedAt', 'endedAt'])('%s of an item of 1e999 is 400', async (name) => {
    const { identity, token } = await boundActivity(setup);
    const contentState = { ...state, items: [{ ...item, [name]: 4711 }] };
    const { path, body } = activityRequest(identity, { tokens: [token], ...update(contentState) });
    const text = JSON.stringify(body).replace(`"${name}":4711`, `"${name}":-1e999`);
    expect(text).toContain('1e999');
    expectRefused(await postText(setup, path, text), 400, 'invalid_request');
  });

  it.each<readonly [string, Record<string, unknown>]>([
    ['contentState missing', { contentState: undefined }],
    ['contentState null', { contentState: null }],
    ['contentState a list', { contentState: [] }],
    ['contentState a string', { contentState: 'working' }],
    ['contentState empty', { contentState: {} }],
    ['event missing', { event: undefined }],
    ['event null', { event: null }],
    ['event start', { event: 'start' }],
    ['event Update', { event: 'Update' }],
    ['event empty', { event: '' }],
    ['dismissalDate null', { dismissalDate: null }],
    ['dismissalDate 1.5', { dismissalDate: 1.5 }],
    ['dismissalDate "1"', { dismissalDate: '1' }],
    ['staleDate null', { staleDate: null }],
    ['staleDate 1.5', { staleDate: 1.5 }],
    ['staleDate "1"', { staleDate: '1' }],
    ['env null', { env: null }],
    ['env development', { env: 'development' }],
    ['tokens empty', { tokens: [] }],
    ['tokens null', { tokens: null }],
    ['tokens that are 101', { tokens: Array.from({ length: 101 }, () => makeDeviceToken()) }],
  ])('%s is 400', async (_name, overrides) => {
    await expectInvalidActivity(setup, update(state), overrides);
  });

  it('an end without endedAt is 400', async () => {
    await expectInvalidActivity(setup, end(state), {});
  });
});

describe('items', () => {
  it.each<readonly [string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'may spell sessionID as sessionId',
      { sessionID: undefined, sessionId: 'ses_1' },
      { sessionID: 'ses_1' },
    ],
    ['have an empty title when it is missing', { title: undefined }, { title: '' }],
    ['have their title cut at 80 units', { title: '値'.repeat(81) }, { title: '値'.repeat(80) }],
    ['have a very long title cut too', { title: 'x'.repeat(3000) }, { title: 'x'.repeat(80) }],
    ['lose other members', { token: 'x', __proto__x: 1, nothing: null, nested: { a: [] } }, {}],
  ])('%s', async (_name, members, expected) => {
    const { identity, token } = await boundActivity(setup);
    const sent = { ...item, ...members };
    const aps = update({ ...state, items: [sent] });
    expect(await pushTo(setup, { identity, token }, aps)).toEqual([{ token, ok: true }]);
    const [request] = requestsFor(setup.sandbox, token);
    if (request === undefined) throw new Error('nothing arrived');
    expect(apsOf(request)['content-state']).toEqual({ ...state, items: [{ ...item, ...expected }] });
  });

  it('are signed with their members in the order of the contract, whatever order they came in', async () => {
    const reversed = Object.fromEntries(
      Object.entries({ ...item, endedAt: 9 }).toReversed(),
    ) as unknown as typeof item;
    const contentState = { ...state, items: [reversed] };
    expect(JSON.stringify(validatedItem(reversed))).not.toBe(JSON.stringify(reversed));
    expect(apsOf(await deliverActivity(setup, update(contentState)))['content-state']).toEqual(contentState);
  });

  it('signed in the order they came in are 401', async () => {
    const { identity, token } = await boundActivity(setup);
    const reversed = Object.fromEntries(Object.entries(item).toReversed()) as unknown as typeof item;
    const fields = { tokens: [token], ...update({ ...state, items: [reversed] }) };
    const ts = uniqueTs();
    const [inOrder, asSent] = [JSON.stringify([validatedItem(reversed)]), JSON.stringify([reversed])];
    const signedText = activityText(ts, fields).replace(inOrder, asSent);
    expect(signedText).toContain(asSent);
    expectRefused(
      await post(setup, activityRequest(identity, fields, { ts, signedText })),
      401,
      'invalid_signature',
    );
  });
});

describe('the payload', () => {
  /** A state whose payload has exactly `bytes` bytes: a control character has six in JSON. */
  function stateOf(bytes: number): ContentState {
    const control = (count: number, letters = 0): string => '\u0001'.repeat(count) + 'x'.repeat(letters);
    const items = ['a', 'b', 'c', 'd'].map((name) => ({
      ...item,
      sessionID: name + control(118),
      title: control(20),
    }));
    const build = (count: number, letters: number): ContentState => ({
      ...state,
      title: control(count, letters),
      items,
    });
    const sizeOf = (contentState: ContentState): number =>
      Buffer.byteLength(
        JSON.stringify({ aps: { timestamp: now, event: 'update', 'content-state': contentState } }),
      );
    const missing = bytes - sizeOf(build(0, 0));
    const chosen = build(Math.floor(missing / 6), missing % 6);
    expect([sizeOf(chosen), (chosen.title ?? '').length <= 80, missing >= 0]).toEqual([bytes, true, true]);
    return chosen;
  }

  it('may have 4096 bytes', async () => {
    const contentState = stateOf(4096);
    const request = await deliverActivity(setup, update(contentState));
    expect(request.payloadBytes).toBe(4096);
    expect(apsOf(request)['content-state']).toEqual(contentState);
  });

  it('may not have 4097 bytes', async () => {
    await expectInvalidActivity(setup, update(stateOf(4097)), {});
  });
});
