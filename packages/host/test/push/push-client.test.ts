import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { eventually, FakeClock, freePort, makeDeviceToken } from '@openchambery/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createHostKeys } from '../../src/identity/host-keys.ts';
import { createPushClient } from '../../src/push/create-push-client.ts';
import {
  createMemoryRegistry,
  MAX_REGISTERED_TOKENS,
  type RegisteredToken,
} from '../../src/push/push-registry.ts';
import type { ActivityChange } from '../../src/push/push-requests.ts';
import { startPushStage } from '../support/push-stage.ts';
import { KEYS } from '../support/relay-stage.ts';

const STATE: ActivityChange['contentState'] = { status: 'working', eventVersion: 3, updatedAt: 1.5 };

/** As many different tokens as wanted, always the same ones. */
function tokens(count: number, digits = 64): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    createHash('shake256', { outputLength: digits / 2 })
      .update(String(index))
      .digest('hex'),
  );
}

/** A server that gives every request the same answer, and keeps what it was asked. */
async function startScripted(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ readonly url: string; readonly requests: { path: string; body: Record<string, unknown> }[] }> {
  const requests: { path: string; body: Record<string, unknown> }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      requests.push({ path: request.url ?? '', body: JSON.parse(text) as Record<string, unknown> });
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/push/send`, requests };
}

test('registers a token and sends to it', async () => {
  const { client, apns } = await startPushStage();
  const push = client();
  const token = makeDeviceToken();
  expect(await push.registerToken(token)).toEqual({ isOk: true });
  const report = await push.send({
    tokens: [token],
    title: 'Tìtle ',
    body: 'Text',
    badge: 3,
    collapseId: 'c1',
    data: { session: 's' },
  });
  expect(report).toEqual({ results: [{ token, isDelivered: true, isDropped: false }] });
  const [request] = apns.requests;
  expect(request?.payload).toEqual({
    aps: {
      alert: { title: 'Tìtle ', body: 'Text' },
      sound: 'default',
      'mutable-content': 1,
      badge: 3,
      'thread-id': 'c1',
    },
    session: 's',
  });
});

test.each([
  ['a plain state', {}],
  ['a title', { title: 'T' }],
  ['a count', { workingCount: 0 }],
  ['no items', { items: [] }],
  [
    'items, one of them without a title and one with a long one',
    {
      title: '',
      workingCount: 2,
      items: [
        { endedAt: 2, startedAt: 1, status: 'complete', sessionID: 'a' },
        { status: 'tool', sessionID: 'b', title: `${'x'.repeat(79)}🙂`, startedAt: 1 },
      ],
    },
  ],
] as const)('updates and ends a Live Activity with %s', async (_what, more) => {
  const { client, apns, server } = await startPushStage();
  const push = client();
  const token = makeDeviceToken();
  expect(await push.registerLiveActivityToken(token)).toEqual({ isOk: true });
  const contentState = { ...STATE, ...more, endedAt: 9 };
  const update = await push.liveActivity({ tokens: [token], event: 'update', contentState, staleDate: 100 });
  expect(update.results).toEqual([{ token, isDelivered: true, isDropped: false }]);
  const end = await push.liveActivity({ tokens: [token], event: 'end', contentState, dismissalDate: 200 });
  expect(end.results).toEqual([{ token, isDelivered: true, isDropped: false }]);
  expect(apns.requestsTotal).toBe(2);
  expect(server.snapshot()).toBeDefined();
});

test('unregisters a Live Activity in the very ms in which it was registered', async () => {
  const { client } = await startPushStage();
  const push = client({ clock: new FakeClock(Date.now()) });
  const token = makeDeviceToken();
  expect(await push.registerLiveActivityToken(token)).toEqual({ isOk: true });
  expect(await push.unregisterLiveActivityToken(token)).toEqual({ isOk: true });
  expect(await push.registerLiveActivityToken(token)).toEqual({ isOk: true });
  expect((await push.send({ tokens: [token], title: 'ios' })).failure).toBeUndefined();
});

test('sends to more tokens than fit one request, each once', async () => {
  const scripted = await startScripted(200, { results: [] });
  const push = createPushClient({ relayUrl: 'ws://127.0.0.1/ws', url: scripted.url, identity: KEYS });
  const many = tokens(201);
  const report = await push.send({ tokens: [...many, many[0]?.toUpperCase() ?? ''], title: 't' });
  expect(report.results.map(({ token }) => token)).toEqual(many);
  const batches = scripted.requests.map(({ body }) => body['tokens'] as string[]);
  expect(batches.map(({ length }) => length)).toEqual([100, 100, 1]);
  expect(batches.flat()).toEqual(many);
});

test('keeps every request within 16 KiB, with the longest tokens too', async () => {
  const { client } = await startPushStage({ limits: { sendLimitPerMinute: 1000 } });
  const many = tokens(100, 512);
  const report = await client().send({
    tokens: many,
    title: 't'.repeat(256),
    body: '"'.repeat(1024),
    data: Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`k${index}`, 'v'.repeat(256)])),
  });
  expect(report.failure).toBeUndefined();
  expect(report.results).toHaveLength(100);
});

test('drops a dead token everywhere', async () => {
  const { client, apns } = await startPushStage();
  const dropped: string[] = [];
  const registry = createMemoryRegistry();
  const push = client({ registry, onTokenDropped: (token) => dropped.push(token) });
  const [alive, dead] = [makeDeviceToken(), makeDeviceToken()];
  for (const token of [alive, dead]) await push.registerToken(token);
  apns.script(dead, { status: 410, reason: 'Unregistered', timestampMs: Date.now() + 60_000 });
  const { results } = await push.send({ tokens: [alive, dead], title: 't' });
  expect(results).toEqual([
    { token: alive, isDelivered: true, isDropped: false },
    { token: dead, isDelivered: false, isDropped: true },
  ]);
  expect(dropped).toEqual([dead]);
  expect((await registry.load()).map(({ token }) => token)).toEqual([alive]);
});

test('keeps what is no token away from the others', async () => {
  const { client } = await startPushStage();
  const push = client();
  const token = makeDeviceToken();
  await push.registerToken(token);
  const { results } = await push.send({ tokens: ['not a token', token], title: 't' });
  expect(results).toContainEqual({ token, isDelivered: true, isDropped: false });
  expect(results).toContainEqual({ token: 'not a token', isDelivered: false, isDropped: true });
  expect(await push.registerToken('ab'.repeat(31))).toMatchObject({
    kind: 'refused',
    error: 'invalid_request',
  });
  expect(await push.registerToken('ab'.repeat(32))).toEqual({ isOk: true });
  expect(await push.registerToken('ab'.repeat(256))).toEqual({ isOk: true });
  expect(await push.registerToken('ab'.repeat(257))).toMatchObject({ kind: 'refused' });
  expect(await push.registerToken(token, 'android')).toMatchObject({ error: 'unsupported_platform' });
});

test('registers its tokens at another push relay before its first send there', async () => {
  const first = await startPushStage();
  const second = await startPushStage();
  const registry = createMemoryRegistry();
  const [phone, activity] = [makeDeviceToken(), makeDeviceToken()];
  const before = first.client({ registry });
  await before.registerToken(phone);
  await before.registerLiveActivityToken(activity);

  const after = second.client({ registry });
  const [report, change] = await Promise.all([
    after.send({ tokens: [phone], title: 't' }),
    after.liveActivity({ tokens: [activity], event: 'update', contentState: STATE }),
  ]);
  expect(report.results).toEqual([{ token: phone, isDelivered: true, isDropped: false }]);
  expect(change.results).toEqual([{ token: activity, isDelivered: true, isDropped: false }]);
  expect((await registry.load()).map(({ url }) => url)).toEqual([after.url, after.url]);
});

test('sends nothing while its tokens cannot be registered at the new push relay', async () => {
  const limited = await startPushStage({ limits: { registerLimitPerMinute: 1 } });
  const known = (token: string): RegisteredToken => ({
    token,
    platform: 'ios',
    kind: 'device',
    url: 'https://old.example/v1/push/send',
  });
  const registry = createMemoryRegistry();
  await registry.save(tokens(2).map(known));
  const { results, failure } = await limited.client({ registry }).send({ tokens: tokens(2), title: 't' });
  expect(results).toEqual([]);
  expect(failure).toMatchObject({ kind: 'rate-limited', error: 'rate_limited' });
  expect(failure?.retryAfterMs).toBeGreaterThan(0);
  expect(failure?.retryAfterMs).toBeLessThanOrEqual(60_000);
  expect(limited.apns.requestsTotal).toBe(0);
  // What went well need not be done again.
  expect((await registry.load()).filter(({ url }) => url.includes('old'))).toHaveLength(1);
});

test('gives what was sent before a limit was met, and when to go on', async () => {
  const { client } = await startPushStage({ limits: { serverSendLimitPerMinute: 1 } });
  const { results, failure } = await client().send({ tokens: tokens(101), title: 't' });
  expect(results).toHaveLength(100);
  expect(failure).toMatchObject({
    isOk: false,
    kind: 'rate-limited',
    retryAfterMs: expect.any(Number) as number,
  });
});

test('says that the relay has no room for another token', async () => {
  const { client } = await startPushStage({ limits: { maxTokens: 1 } });
  const push = client();
  const [first = '', second = ''] = tokens(2);
  expect(await push.registerToken(first)).toEqual({ isOk: true });
  expect(await push.registerToken(second)).toMatchObject({ kind: 'token-limit', error: 'token_limit' });
  expect((await push.send({ tokens: [first], title: 't' })).results).toMatchObject([{ isDelivered: true }]);
});

test('says that its clock is off, and whose token it is not', async () => {
  const { client } = await startPushStage();
  const late = client({ clock: new FakeClock(Date.now() - 301_000) });
  expect(await late.registerToken(makeDeviceToken())).toMatchObject({
    kind: 'refused',
    error: 'timestamp',
    message: expect.stringContaining('clock') as string,
  });
  const token = makeDeviceToken();
  await client({ identity: await createHostKeys() }).registerLiveActivityToken(token);
  expect(await client().unregisterLiveActivityToken(token)).toMatchObject({ error: 'invalid_signature' });
  expect((await client().send({ tokens: [token], title: 't' })).results).toEqual([
    { token, isDelivered: false, isDropped: false },
  ]);
});

test.each([
  [503, { error: 'shutting_down' }, 'unavailable', /shutting down/],
  [500, { error: 'internal' }, 'unavailable', /fault/],
  [404, '', 'unavailable', /is push turned on/],
  [502, '<html>', 'unavailable', /502/],
  [301, '', 'unavailable', /elsewhere/],
  [200, 'no JSON', 'unavailable', /no push relay/],
  [200, { results: 'none' }, 'unavailable', /no push relay/],
  [200, { results: [{ token: 1, ok: true }] }, 'unavailable', /no push relay/],
  [413, { error: 'payload_too_large' }, 'refused', /too large/],
  [400, { error: 'invalid_request' }, 'refused', /does not take/],
  [400, { error: 'unknown code' }, 'unavailable', /400/],
  [401, { error: 'replay' }, 'refused', /before/],
  [429, { error: 'rate_limited' }, 'rate-limited', /too many/],
  [429, 'of a proxy', 'rate-limited', /429/],
] as const)('takes HTTP %i with %j for %s', async (status, body, kind, message) => {
  const { url } = await startScripted(status, body, { location: 'http://127.0.0.1:1/', 'retry-after': '7' });
  const push = createPushClient({ relayUrl: 'ws://127.0.0.1/ws', url, identity: KEYS });
  const { failure } = await push.send({ tokens: tokens(1), title: 't' });
  expect(failure?.kind).toBe(kind);
  expect(failure?.message).toMatch(message);
  if (status !== 200) expect(failure?.retryAfterMs).toBe(7000);
});

test.each([
  [256 * 1024, undefined],
  [256 * 1024 + 1, 'the push relay answered with more than it should'],
])('reads an answer of %i bytes or not', async (length, message) => {
  const answer = JSON.stringify({ results: [] });
  const { url } = await startScripted(200, answer.padEnd(length));
  const push = createPushClient({ relayUrl: 'ws://127.0.0.1/ws', url, identity: KEYS });
  expect((await push.send({ tokens: tokens(1), title: 't' })).failure?.message).toBe(message);
});

test('gives up after its timeout, and says what stands in the way', async () => {
  const silent = createServer(() => undefined);
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const clock = new FakeClock();
  const { port } = silent.address() as AddressInfo;
  const push = createPushClient({ relayUrl: `ws://127.0.0.1:${port}/ws`, identity: KEYS, clock });
  const asked = once(silent, 'request');
  const sending = push.send({ tokens: tokens(1), title: 't' });
  await asked;
  clock.advance(15_000);
  expect((await sending).failure).toMatchObject({ kind: 'unavailable', message: /15 s/ });
  expect(clock.pendingTimers).toBe(0);

  const nobody = createPushClient({ relayUrl: `ws://127.0.0.1:${await freePort()}/ws`, identity: KEYS });
  const { failure } = await nobody.send({ tokens: tokens(1), title: 't' });
  expect(failure?.message).toContain('nothing listens');
});

test('does nothing when it is turned off', async () => {
  const fetch = (): Promise<Response> => Promise.reject(new Error('must not be called'));
  const push = createPushClient({
    relayUrl: 'ws://relay.example/ws',
    identity: KEYS,
    isDisabled: true,
    fetch,
  });
  const disabled = { kind: 'disabled' };
  expect(await push.registerToken(makeDeviceToken())).toMatchObject(disabled);
  expect(await push.registerLiveActivityToken(makeDeviceToken())).toMatchObject(disabled);
  expect(await push.unregisterLiveActivityToken(makeDeviceToken())).toMatchObject(disabled);
  expect((await push.send({ tokens: tokens(1), title: 't' })).failure).toMatchObject(disabled);
  expect(
    (await push.liveActivity({ tokens: tokens(1), event: 'update', contentState: STATE })).failure,
  ).toMatchObject(disabled);
});

test('says its environment with every send', async () => {
  const scripted = await startScripted(200, { results: [] });
  const options = { relayUrl: 'ws://127.0.0.1/ws', url: scripted.url, identity: KEYS };
  await createPushClient(options).send({ tokens: tokens(1), title: 't' });
  await createPushClient({ ...options, environment: 'production' }).send({ tokens: tokens(1), title: 't' });
  expect(scripted.requests.map(({ body }) => body['env'])).toEqual(['sandbox', 'production']);
  expect(Object.keys(scripted.requests[0]?.body ?? {})).toEqual([
    'publicKeyJwk',
    'ts',
    'sig',
    'tokens',
    'title',
    'env',
  ]);
});

test('remembers a bounded number of tokens, the youngest', async () => {
  const registry = createMemoryRegistry();
  const scripted = await startScripted(200, { ok: true });
  const push = createPushClient({
    relayUrl: 'ws://127.0.0.1/ws',
    url: scripted.url,
    identity: KEYS,
    registry,
  });
  const known = tokens(MAX_REGISTERED_TOKENS + 1);
  await registry.save(
    known.slice(0, -1).map((token) => ({ token, platform: 'ios', kind: 'device', url: scripted.url })),
  );
  await push.registerToken(known.at(-1) ?? '');
  const remembered = await registry.load();
  expect(remembered.map(({ token }) => token)).toEqual(known.slice(1));
});

test('saves one change after the other, those that wait together', async () => {
  const scripted = await startScripted(200, { ok: true });
  const saves: number[] = [];
  const first = Promise.withResolvers<void>();
  const push = createPushClient({
    relayUrl: 'ws://127.0.0.1/ws',
    url: scripted.url,
    identity: KEYS,
    registry: {
      load: () => [],
      save: (saved) => {
        saves.push(saved.length);
        return saves.length === 1 ? first.promise : undefined;
      },
    },
  });
  const [one, ...others] = tokens(5).map((token) => push.registerToken(token));
  await eventually(() => expect(saves).toHaveLength(1));
  // The answers are there, and their changes wait for the first save.
  await eventually(() => expect(scripted.requests).toHaveLength(5));
  first.resolve();
  await Promise.all([one, ...others]);
  expect(saves[0]).toBeGreaterThanOrEqual(1);
  expect(saves.at(-1)).toBe(5);
});

test('tells whoever registers that the registry failed', async () => {
  const scripted = await startScripted(200, { ok: true });
  let isBroken = true;
  const push = createPushClient({
    relayUrl: 'ws://127.0.0.1/ws',
    url: scripted.url,
    identity: KEYS,
    registry: {
      load: () => [],
      save: () => (isBroken ? Promise.reject(new Error('disk full')) : undefined),
    },
  });
  await expect(push.registerToken(makeDeviceToken())).rejects.toThrow('disk full');
  isBroken = false;
  expect(await push.registerToken(makeDeviceToken())).toEqual({ isOk: true });
});

test('asks the registry again after it failed to load, and then no more', async () => {
  const { client } = await startPushStage();
  const failure = new Error('the file is locked');
  let loads = 0;
  const push = client({
    registry: {
      load: () => {
        loads += 1;
        if (loads === 1) throw failure;
        return [];
      },
      save: () => undefined,
    },
  });
  const [token] = tokens(1);
  await expect(push.registerToken(token ?? '')).rejects.toBe(failure);
  for (let count = 0; count < 2; count += 1) {
    expect(await push.registerToken(token ?? '')).toEqual({ isOk: true });
  }
  expect(loads).toBe(2);
});
