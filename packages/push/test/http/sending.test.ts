import { makeIdentity } from '@openchambery/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/request/route.ts';
import { type Body, contentState, TOKEN, tokens } from '../support/bodies.ts';
import { type Answer, PushHarness } from '../support/push-harness.ts';
import { dead, LATER, MISMATCH } from '../support/scripted-provider.ts';

const ENDED = contentState({ endedAt: 1 });

let harness: PushHarness;

beforeEach(() => {
  harness = new PushHarness();
  harness.store.bind(TOKEN, harness.identity.serverId);
});

describe('a send', () => {
  it('answers what became of each token', async () => {
    const [dying = '', busy = '', strange = ''] = tokens(3);
    harness.store.bind(dying, harness.identity.serverId);
    harness.store.bind(busy, harness.identity.serverId);
    harness.store.bind(strange, 'another');
    harness.provider.scriptBoth(dead(undefined), dying);
    harness.provider.scriptBoth(LATER, busy);
    const listed = [strange, TOKEN.toUpperCase(), dying, busy, TOKEN, dying];
    const answer = await harness.post(ROUTES.send, harness.send({ tokens: listed }));
    expect(answer.body).toBe(
      `{"results":[{"token":"${strange}","ok":false},{"token":"${TOKEN.toUpperCase()}","ok":true},` +
        `{"token":"${dying}","ok":false,"drop":true},{"token":"${busy}","ok":false}]}`,
    );
  });

  it('goes out as an alert, where and as the server says', async () => {
    const body = harness.send({
      title: 'T',
      body: 'B',
      collapseId: 'c',
      env: 'production',
      data: { a: 'b' },
    });
    await harness.post(ROUTES.send, body);
    expect(harness.provider.sent).toMatchObject([
      { token: TOKEN, environment: 'production', kind: 'alert', collapseId: 'c', deadlineMs: 5000 },
    ]);
    expect(harness.provider.sent[0]?.payload.toString()).toBe(
      '{"aps":{"alert":{"title":"T","body":"B"},"sound":"default","mutable-content":1,"thread-id":"c"},"a":"b"}',
    );
  });

  it('remembers under the topic of alerts what it learned', async () => {
    await harness.post(ROUTES.send, harness.send());
    expect([...harness.store.acceptedAtMs.keys()]).toEqual(['sandbox com.example']);
  });
});

describe('a Live Activity', () => {
  it('is changed', async () => {
    expect((await harness.post(ROUTES.liveActivity, harness.liveActivity())).json).toEqual({
      results: [{ token: TOKEN, ok: true }],
    });
    expect(harness.provider.sent).toMatchObject([{ kind: 'liveactivity', environment: 'sandbox' }]);
    expect(harness.store.bindings.has(TOKEN)).toBe(true);
    expect([...harness.store.acceptedAtMs.keys()]).toEqual(['sandbox com.example.push-type.liveactivity']);
  });

  it('bears the time of the push relay', async () => {
    const body = harness.liveActivity();
    harness.clock.advance(120_000);
    await harness.post(ROUTES.liveActivity, body);
    const { aps } = JSON.parse(harness.provider.sent[0]?.payload.toString() ?? '') as { aps: Body };
    expect(aps['timestamp']).toBe(1_700_000_120);
  });

  it('that ends is over for the token, too', async () => {
    const body = harness.liveActivity({ event: 'end', contentState: ENDED });
    expect((await harness.post(ROUTES.liveActivity, body)).json).toEqual({
      results: [{ token: TOKEN, ok: true }],
    });
    expect(harness.store.bindings.has(TOKEN)).toBe(false);
  });

  it('whose end was not taken keeps its token', async () => {
    harness.provider.scriptBoth(LATER);
    const body = harness.liveActivity({ event: 'end', contentState: ENDED });
    await harness.post(ROUTES.liveActivity, body);
    expect(harness.store.bindings.has(TOKEN)).toBe(true);
  });
});

describe('a replay', () => {
  it.each([ROUTES.send, ROUTES.liveActivity])('of %s is refused and sends nothing', async (route) => {
    const body = harness.bodyFor(route);
    await harness.post(route, body);
    harness.clock.advance(299_999);
    expect(await harness.post(route, body)).toMatchObject({ status: 401, json: { error: 'replay' } });
    expect(harness.provider.sent).toHaveLength(1);
  });

  it('is what was signed, not the signature', async () => {
    const ts = harness.ts();
    await harness.post(ROUTES.send, harness.send({ ts }));
    // ECDSA makes another signature each time; body and data are not signed.
    const again = await harness.post(ROUTES.send, harness.send({ ts, body: 'other', data: { a: 'b' } }));
    expect(again.json).toEqual({ error: 'replay' });
  });

  it('is one for tokens in another order, and for no other server', async () => {
    const ts = harness.ts();
    const [a = '', b = ''] = tokens(2);
    await harness.post(ROUTES.send, harness.send({ ts, tokens: [a, b] }));
    expect((await harness.post(ROUTES.send, harness.send({ ts, tokens: [b, a] }))).json).toEqual({
      error: 'replay',
    });
    const other = harness.send({ ts, tokens: [a, b] }, makeIdentity());
    expect((await harness.post(ROUTES.send, other)).status).toBe(200);
  });
});

describe('the limit of a server', () => {
  const MAX = 3;

  beforeEach(() => {
    harness = new PushHarness({ limits: { serverSendLimitPerMinute: MAX, sendLimitPerMinute: 1000 } });
    harness.store.bind(TOKEN, harness.identity.serverId);
  });

  function post(body: Body): Promise<Answer> {
    return harness.post(ROUTES.send, body);
  }

  async function fill(count: number): Promise<void> {
    for (let index = 0; index < count; index++) expect((await post(harness.send())).status).toBe(200);
  }

  it('is shared by both routes, and one more is refused', async () => {
    await fill(MAX - 1);
    expect((await harness.post(ROUTES.liveActivity, harness.liveActivity())).status).toBe(200);
    for (const route of [ROUTES.send, ROUTES.liveActivity]) {
      expect(await harness.post(route, harness.bodyFor(route))).toMatchObject({
        status: 429,
        json: { error: 'rate_limited' },
        headers: { 'retry-after': '60', 'cache-control': 'no-store' },
      });
    }
    expect(harness.provider.sent).toHaveLength(MAX);
  });

  it('is no other server’s, and slides', async () => {
    await fill(1);
    harness.clock.advance(10_000);
    await fill(MAX - 1);
    expect((await post(harness.send({}, makeIdentity()))).status).toBe(200);
    harness.clock.advance(49_999);
    expect((await post(harness.send())).status).toBe(429);
    harness.clock.advance(1);
    await fill(1);
    expect((await post(harness.send())).headers['retry-after']).toBe('10');
  });

  it('refuses without marking: the same request is good later', async () => {
    await fill(MAX);
    const body = harness.send();
    expect((await post(body)).status).toBe(429);
    harness.clock.advance(60_000);
    expect((await post(body)).status).toBe(200);
  });

  it('calls a replay a replay although it is reached', async () => {
    const body = harness.send();
    await post(body);
    await fill(MAX - 1);
    expect(await post(body)).toMatchObject({ status: 401, json: { error: 'replay' } });
    expect((await post(harness.send())).status).toBe(429);
  });

  it('cannot be used up by replaying what was overheard', async () => {
    const body = harness.send();
    await post(body);
    for (let count = 0; count < 50; count++) expect((await post(body)).json).toEqual({ error: 'replay' });
    await fill(MAX - 1);
    expect((await post(harness.send())).status).toBe(429);
  });

  it('cannot be used up by anybody who does not hold the key', async () => {
    for (let count = 0; count < 50; count++) await post({ ...harness.send(), sig: 'A'.repeat(86) });
    await fill(MAX);
  });

  it('gives a place back when there is no room for the mark', async () => {
    harness.store.full = { kind: 'full', retryAfterMs: 30_000 };
    for (let count = 0; count < 50; count++) {
      expect(await post(harness.send())).toMatchObject({
        status: 429,
        json: { error: 'rate_limited' },
        headers: { 'retry-after': '30' },
      });
    }
    harness.store.full = undefined;
    await fill(MAX);
    expect(harness.provider.sent).toHaveLength(MAX);
  });

  it('gives a place back when the store is out of order', async () => {
    harness.store.failures.set('claim', new Error('disk'));
    for (let count = 0; count < 50; count++) {
      expect(await post(harness.send())).toMatchObject({ status: 500, json: { error: 'internal' } });
    }
    harness.store.failures.clear();
    await fill(MAX);
  });

  it('is counted when the request arrives, not when its mark is written', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    harness.store.onCall = () => gate;
    const pending = Array.from({ length: 5 }, () => post(harness.send()));
    open();
    const statuses = (await Promise.all(pending)).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  it('lets one of two that say the same through', async () => {
    const body = harness.send();
    const statuses = (await Promise.all([post(body), post(body)])).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 401]));
    expect(harness.provider.sent).toHaveLength(1);
    await fill(MAX - 1);
  });
});

describe('a fault behind the verification', () => {
  it('is internal when the bindings cannot be read, and nothing is sent', async () => {
    harness.store.failures.set('find', new Error('disk'));
    expect(await harness.post(ROUTES.send, harness.send())).toMatchObject({
      status: 500,
      json: { error: 'internal' },
    });
    expect(harness.provider.sent).toEqual([]);
  });

  it('is none when what was learned cannot be written', async () => {
    harness.store.failures.set('settle', new Error('disk'));
    expect((await harness.post(ROUTES.send, harness.send())).json).toEqual({
      results: [{ token: TOKEN, ok: true }],
    });
  });

  it('is none when a provider breaks its word', async () => {
    harness.provider.scriptBoth(() => Promise.reject(new Error('bug')));
    expect((await harness.post(ROUTES.send, harness.send())).json).toEqual({
      results: [{ token: TOKEN, ok: false }],
    });
  });
});

it('reports a token dropped once, and knows it no more', async () => {
  harness.provider.scriptBoth(MISMATCH);
  expect((await harness.post(ROUTES.send, harness.send())).json).toEqual({
    results: [{ token: TOKEN, ok: false, drop: true }],
  });
  expect((await harness.post(ROUTES.send, harness.send())).json).toEqual({
    results: [{ token: TOKEN, ok: false }],
  });
});
