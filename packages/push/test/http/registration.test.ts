import { makeIdentity } from '@openchambery/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/request/route.ts';
import { TOKEN } from '../support/bodies.ts';
import { PushHarness } from '../support/push-harness.ts';

const OK = { status: 200, body: '{"ok":true}' };
const OTHER = 'bb'.repeat(32);

let harness: PushHarness;

beforeEach(() => {
  harness = new PushHarness();
});

describe('a registration', () => {
  it('binds the token to the server that signed', async () => {
    expect(await harness.post(ROUTES.registerToken, harness.registration())).toMatchObject(OK);
    expect(harness.store.bindings.get(TOKEN)).toMatchObject({
      serverId: harness.identity.serverId,
      platform: 'ios',
      kind: 'device',
    });
  });

  it('binds the token of a Live Activity', async () => {
    const body = harness.liveActivityRegistration();
    expect(await harness.post(ROUTES.registerLiveActivityToken, body)).toMatchObject(OK);
    expect(harness.store.bindings.get(TOKEN)).toMatchObject({ kind: 'liveactivity' });
  });

  it('knows a token by its lower case', async () => {
    await harness.post(ROUTES.registerToken, harness.registration({ token: TOKEN.toUpperCase() }));
    expect([...harness.store.bindings.keys()]).toEqual([TOKEN]);
  });

  it('takes the token from whoever had it', async () => {
    const other = makeIdentity();
    await harness.post(ROUTES.registerToken, harness.registration());
    await harness.post(ROUTES.registerToken, harness.registration({}, other));
    expect(harness.store.bindings.get(TOKEN)?.serverId).toBe(other.serverId);
  });

  it('that comes again is answered and takes nothing back', async () => {
    const other = makeIdentity();
    const first = harness.registration();
    await harness.post(ROUTES.registerToken, first);
    await harness.post(ROUTES.registerToken, harness.registration({}, other));
    expect(await harness.post(ROUTES.registerToken, first)).toMatchObject(OK);
    expect(harness.store.bindings.get(TOKEN)?.serverId).toBe(other.serverId);
  });

  it('of a platform without a provider is refused', async () => {
    const body = harness.registration({ platform: 'android' });
    expect(await harness.post(ROUTES.registerToken, body)).toMatchObject({
      status: 400,
      json: { error: 'unsupported_platform' },
    });
  });

  it('beyond the limit is refused, and says when to come again; a known token is not', async () => {
    await harness.post(ROUTES.registerToken, harness.registration());
    harness.store.maxTokens = 1;
    const beyond = await harness.post(ROUTES.registerToken, harness.registration({ token: OTHER }));
    expect(beyond).toMatchObject({ status: 429, json: { error: 'token_limit' } });
    expect(Number(beyond.headers['retry-after'])).toBeGreaterThan(0);
    expect(await harness.post(ROUTES.registerToken, harness.registration())).toMatchObject(OK);
  });

  it('is refused when its server has filled the table, until its own marks go', async () => {
    harness.store.full = { kind: 'full', retryAfterMs: 1001 };
    expect(await harness.post(ROUTES.registerToken, harness.registration())).toMatchObject({
      status: 429,
      json: { error: 'rate_limited' },
      headers: { 'retry-after': '2', 'cache-control': 'no-store' },
    });
    expect(harness.store.bindings.size).toBe(0);
  });
});

describe('an unregistration', () => {
  const route = ROUTES.unregisterLiveActivityToken;

  it('forgets the token', async () => {
    await harness.post(ROUTES.registerLiveActivityToken, harness.liveActivityRegistration());
    expect(await harness.post(route, harness.liveActivityRegistration())).toMatchObject(OK);
    expect(harness.store.bindings.size).toBe(0);
  });

  it('of an unknown token is no fault, nor is one that comes again', async () => {
    const body = harness.liveActivityRegistration();
    expect(await harness.post(route, body)).toMatchObject(OK);
    expect(await harness.post(route, body)).toMatchObject(OK);
  });

  it('that comes again forgets no newer registration', async () => {
    const body = harness.liveActivityRegistration();
    await harness.post(route, body);
    await harness.post(ROUTES.registerLiveActivityToken, harness.liveActivityRegistration());
    expect(await harness.post(route, body)).toMatchObject(OK);
    expect(harness.store.bindings.has(TOKEN)).toBe(true);
  });

  it('of another server’s token is refused', async () => {
    const owner = makeIdentity();
    await harness.post(ROUTES.registerLiveActivityToken, harness.liveActivityRegistration({}, owner));
    expect(await harness.post(route, harness.liveActivityRegistration())).toMatchObject({
      status: 401,
      json: { error: 'invalid_signature' },
    });
    expect(harness.store.bindings.get(TOKEN)?.serverId).toBe(owner.serverId);
  });
});

describe('a text that was used on another route', () => {
  it('is a replay: a registration and an unregistration of a Live Activity', async () => {
    const body = harness.liveActivityRegistration();
    await harness.post(ROUTES.registerLiveActivityToken, body);
    expect(await harness.post(ROUTES.unregisterLiveActivityToken, body)).toMatchObject({
      status: 401,
      json: { error: 'replay' },
    });
    expect(harness.store.bindings.has(TOKEN)).toBe(true);
  });

  it('is a replay: a send titled ios and a registration', async () => {
    const ts = harness.ts();
    const sent = await harness.post(ROUTES.send, harness.send({ ts, title: 'ios' }));
    expect(sent.status).toBe(200);
    const registered = await harness.post(ROUTES.registerToken, harness.registration({ ts }));
    expect(registered.json).toEqual({ error: 'replay' });
    expect(harness.store.bindings.size).toBe(0);
  });

  it('is a replay: a registration and a send titled ios', async () => {
    const ts = harness.ts();
    await harness.post(ROUTES.registerToken, harness.registration({ ts }));
    const sent = await harness.post(ROUTES.send, harness.send({ ts, title: 'ios' }));
    expect(sent.json).toEqual({ error: 'replay' });
    expect(harness.provider.sent).toEqual([]);
  });

  it('is another server’s own to use', async () => {
    const ts = harness.ts();
    await harness.post(ROUTES.registerToken, harness.registration({ ts }));
    const other = makeIdentity();
    expect(await harness.post(ROUTES.send, harness.send({ ts, title: 'ios' }, other))).toMatchObject({
      status: 200,
    });
  });
});
