import { makeIdentity } from '@openchambery/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/request/route.ts';
import { POINT } from '../support/bodies.ts';
import { PushHarness } from '../support/push-harness.ts';

let harness: PushHarness;

beforeEach(() => {
  harness = new PushHarness();
});

const ALL = Object.values(ROUTES);
const REGISTERING = [
  ROUTES.registerToken,
  ROUTES.registerLiveActivityToken,
  ROUTES.unregisterLiveActivityToken,
] as const;
const SENDING = [ROUTES.send, ROUTES.liveActivity] as const;

describe.each(ALL)('%s', (route) => {
  it('answers a good request with JSON that nobody may keep', async () => {
    const answer = await harness.post(route, harness.bodyFor(route));
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
    expect(answer.headers).not.toHaveProperty('retry-after');
  });

  it('refuses while draining, before a limit is counted or a body read', async () => {
    harness.isDraining = true;
    for (let count = 0; count < 100; count++) {
      expect(await harness.post(route, harness.bodyFor(route))).toMatchObject({
        status: 503,
        json: { error: 'shutting_down' },
        headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      });
    }
    expect([harness.bodyLimits, harness.store.calls]).toEqual([[], []]);
    harness.isDraining = false;
    expect((await harness.post(route, harness.bodyFor(route))).status).toBe(200);
  });

  it('reads a body of 16 KiB and no more', async () => {
    const body = Buffer.from(JSON.stringify(harness.bodyFor(route)));
    const filled = (length: number): Buffer => Buffer.concat([body, Buffer.alloc(length - body.length, ' ')]);
    expect((await harness.post(route, filled(16_384))).status).toBe(200);
    expect(await harness.post(route, filled(16_385))).toMatchObject({
      status: 413,
      json: { error: 'payload_too_large' },
      headers: { 'cache-control': 'no-store' },
    });
    expect(harness.bodyLimits).toEqual([16_384, 16_384]);
  });

  it('looks at nothing in the store before the signature has verified', async () => {
    const good = harness.bodyFor(route);
    const refused: [unknown, number, string][] = [
      [Buffer.from('{'), 400, 'invalid_request'],
      [Buffer.from([0x22, 0xff, 0x22]), 400, 'invalid_request'],
      [{}, 400, 'invalid_request'],
      [{ ...good, publicKeyJwk: { ...POINT, y: POINT.x } }, 400, 'invalid_request'],
      [{ ...good, ts: 5 }, 401, 'timestamp'],
      [{ ...good, sig: 'A'.repeat(86) }, 401, 'invalid_signature'],
      [{ ...good, publicKeyJwk: makeIdentity().publicJwk }, 401, 'invalid_signature'],
      [{ ...good, ts: Number(good['ts']) + 1 }, 401, 'invalid_signature'],
    ];
    for (const [body, status, error] of refused) {
      const answer = await harness.post(route, body);
      expect([answer.status, answer.json]).toEqual([status, { error }]);
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'application/json',
      });
    }
    expect(harness.store.calls).toEqual([]);
    expect(harness.provider.sent).toEqual([]);
  });

  it('answers a request that broke off, to whomever', async () => {
    expect(await harness.post(route, harness.bodyFor(route), { fault: 'aborted' })).toMatchObject({
      status: 400,
      json: { error: 'invalid_request' },
    });
    expect(harness.store.calls).toEqual([]);
  });

  it('refuses another server’s signature over the same text', async () => {
    const body = harness.bodyFor(route);
    const thief = makeIdentity();
    const answer = await harness.post(route, { ...body, publicKeyJwk: thief.publicJwk });
    expect(answer.json).toEqual({ error: 'invalid_signature' });
  });

  it('hides what went wrong inside', async () => {
    for (const method of ['register', 'unregister', 'claim'] as const) {
      harness.store.failures.set(method, new Error('SQLITE_FULL: /var/secret.sqlite'));
    }
    expect(await harness.post(route, harness.bodyFor(route))).toMatchObject({
      status: 500,
      body: '{"error":"internal"}',
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
    harness.store.failures.clear();
    expect((await harness.post(route, harness.bodyFor(route))).status).toBe(200);
  });
});

describe.each([
  ['register', 'registerLimitPerMinute', REGISTERING, SENDING],
  ['send', 'sendLimitPerMinute', SENDING, REGISTERING],
] as const)('the %s routes', (_, limit, routes, others) => {
  it('share one limit for an IP, counted before the body is read', async () => {
    harness = new PushHarness({ limits: { [limit]: 4 } });
    const nextRoute = (index: number): (typeof routes)[number] => routes[index % routes.length] ?? routes[0];
    for (let index = 0; index < 4; index++) {
      const route = nextRoute(index);
      expect((await harness.post(route, harness.bodyFor(route))).status).toBe(200);
      harness.clock.advance(1000);
    }
    const read = harness.bodyLimits.length;
    for (const route of routes) {
      expect(await harness.post(route, harness.bodyFor(route))).toMatchObject({
        status: 429,
        json: { error: 'rate_limited' },
        headers: { 'retry-after': '56', 'cache-control': 'no-store', 'content-type': 'application/json' },
      });
    }
    expect(harness.bodyLimits).toHaveLength(read);
    for (const route of others) {
      expect((await harness.post(route, harness.bodyFor(route))).status).toBe(200);
    }
  });

  it('count requests of every kind, bad ones too', async () => {
    harness = new PushHarness({ limits: { [limit]: 2 } });
    const [route] = routes;
    await harness.post(route, Buffer.from('{'));
    await harness.post(route, {});
    expect((await harness.post(route, {})).status).toBe(429);
  });

  it('serve other IPs meanwhile, and the same one when its minute is over', async () => {
    harness = new PushHarness({ limits: { [limit]: 1 } });
    const [route] = routes;
    const status = async (ip?: string): Promise<number> =>
      (await harness.post(route, harness.bodyFor(route), { ip: ip ?? '192.0.2.1' })).status;
    expect([await status(), await status(), await status('192.0.2.2')]).toEqual([200, 429, 200]);
    harness.clock.advance(59_999);
    expect(await status()).toBe(429);
    harness.clock.advance(1);
    expect(await status()).toBe(200);
  });

  it('say when to come again, in whole seconds that are enough', async () => {
    harness = new PushHarness({ limits: { [limit]: 1 } });
    const [route] = routes;
    await harness.post(route, {});
    for (const [advanceMs, seconds] of [
      [0, '60'],
      [1, '60'],
      [58_998, '2'],
      [1, '1'],
      [999, '1'],
    ] as const) {
      harness.clock.advance(advanceMs);
      expect((await harness.post(route, {})).headers['retry-after']).toBe(seconds);
    }
  });
});

describe('the IP of a client', () => {
  async function statuses(requests: { ip?: string; forwardedFor?: string }[]): Promise<number[]> {
    const statuses: number[] = [];
    for (const request of requests) {
      statuses.push((await harness.post(ROUTES.send, harness.send(), request)).status);
    }
    return statuses;
  }

  it('is that of the peer, whatever is forwarded', async () => {
    harness = new PushHarness({ limits: { sendLimitPerMinute: 1 } });
    expect(await statuses([{ forwardedFor: '198.51.100.1' }, { forwardedFor: '198.51.100.2' }])).toEqual([
      200, 429,
    ]);
  });

  it('is the single address forwarded when the proxy is trusted', async () => {
    harness = new PushHarness({ limits: { sendLimitPerMinute: 1 }, trustProxy: 'trust' });
    expect(
      await statuses([
        { forwardedFor: '198.51.100.1' },
        { forwardedFor: '198.51.100.2' },
        { forwardedFor: '198.51.100.1' },
        { forwardedFor: '198.51.100.3, 198.51.100.4' },
        { forwardedFor: 'nonsense' },
      ]),
    ).toEqual([200, 200, 429, 200, 429]);
  });

  it('is one for IPv4 in IPv6 and for a /64', async () => {
    harness = new PushHarness({ limits: { sendLimitPerMinute: 1 } });
    expect(
      await statuses([
        { ip: '::ffff:192.0.2.9' },
        { ip: '192.0.2.9' },
        { ip: '2001:db8::1' },
        { ip: '2001:db8::ffff:1' },
        { ip: '2001:db8:0:1::1' },
      ]),
    ).toEqual([200, 429, 200, 429, 200]);
  });

  it('is one for all that have none', async () => {
    harness = new PushHarness({ limits: { sendLimitPerMinute: 1 } });
    const [first, second] = [
      await harness.post(ROUTES.send, harness.send(), { ip: undefined }),
      await harness.post(ROUTES.send, harness.send(), { ip: undefined }),
    ];
    expect([first.status, second.status]).toEqual([200, 429]);
  });
});

describe('what is no route', () => {
  it.each([
    ['GET', ROUTES.send],
    ['HEAD', ROUTES.send],
    ['OPTIONS', ROUTES.send],
    ['POST', '/'],
    ['POST', '//'],
    ['POST', '*'],
    ['POST', ''],
    ['POST', '/v1/push/'],
    ['POST', `${ROUTES.send}/`],
    ['POST', `http://a${ROUTES.send}`],
    ['POST', '/v1/push/unregister-token'],
    ['GET', '/healthz'],
    ['POST', `/${'a'.repeat(1_000_000)}`],
    ['POST', '/%'],
  ])('%s %.40s is not found, which costs nothing', async (method, target) => {
    const answer = await harness.post(target, {}, { method });
    expect(answer).toMatchObject({ status: 404, body: '', headers: { 'cache-control': 'no-store' } });
    expect(harness.bodyLimits).toEqual([]);
  });

  it('is not found while draining either', async () => {
    harness.isDraining = true;
    expect((await harness.post('/x', {})).status).toBe(404);
  });
});
