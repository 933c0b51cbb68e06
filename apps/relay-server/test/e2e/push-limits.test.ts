import {
  activityRequest,
  makeDeviceToken,
  makeIdentity,
  pushPaths,
  RawSocket,
  registerActivityRequest,
  registerRequest,
  sendRequest,
  unregisterActivityRequest,
} from '@openchambery/testkit';
import type { HostIdentity, PushRequest } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  boundServer,
  expectOk,
  expectRefused,
  post,
  postText,
  requestsTotal,
  rowsOf,
} from './support/push-http.ts';
import type { PostOptions, PushAnswer } from './support/push-http.ts';
import { ownPush, usePush } from './support/push-setup.ts';
import type { PushSetup } from './support/push-setup.ts';

// Push API §5 (limits by client IP; whom a request is counted for is in Layer 1 §4) and §3 (limit by server).

const contentState = { status: 'working', eventVersion: 1, updatedAt: 1 };
const tokens = [makeDeviceToken()];

/** One request for each register route, and one for each send route; nothing about them has to be right. */
const registerRoutes: readonly ((identity: HostIdentity) => PushRequest)[] = [
  (identity) => registerRequest(identity, makeDeviceToken()),
  (identity) => registerActivityRequest(identity, makeDeviceToken()),
  (identity) => unregisterActivityRequest(identity, makeDeviceToken()),
];
const sendRoutes: readonly ((identity: HostIdentity) => PushRequest)[] = [
  (identity) => sendRequest(identity, { tokens, title: 'limits' }),
  (identity) => activityRequest(identity, { tokens, event: 'update', contentState }),
];

let addresses = 0;
/** An address that no test has used. */
function newAddress(): string {
  addresses += 1;
  return `127.7.${Math.floor(addresses / 200)}.${1 + (addresses % 200)}`;
}

describe('by client IP', () => {
  const LIMIT = 4;
  const setup = usePush({ limits: { REGISTER_LIMIT_PER_MINUTE: LIMIT, SEND_LIMIT_PER_MINUTE: LIMIT } });

  /** Posts one request for each route in turn, all from one address, until the limit; each is accepted. */
  async function use(routes: typeof registerRoutes, localAddress: string): Promise<void> {
    for (let i = 0; i < LIMIT; i++) {
      const make = routes[i % routes.length];
      if (make === undefined) throw new Error('no route');
      expect((await post(setup, make(makeIdentity()), { localAddress })).status).toBe(200);
    }
  }

  it('the register routes share REGISTER_LIMIT_PER_MINUTE', async () => {
    const localAddress = newAddress();
    await use(registerRoutes, localAddress);
    for (const make of registerRoutes) {
      expectRefused(await post(setup, make(makeIdentity()), { localAddress }), 429, 'rate_limited');
    }
    // The send routes have a limit of their own.
    await use(sendRoutes, localAddress);
  });

  it('the send routes share SEND_LIMIT_PER_MINUTE', async () => {
    const localAddress = newAddress();
    await use(sendRoutes, localAddress);
    for (const make of sendRoutes) {
      expectRefused(await post(setup, make(makeIdentity()), { localAddress }), 429, 'rate_limited');
    }
    await use(registerRoutes, localAddress);
  });

  it('another address has its own', async () => {
    const localAddress = newAddress();
    await use(registerRoutes, localAddress);
    await use(registerRoutes, newAddress());
  });

  it('a wait of at most a minute is asked for', async () => {
    const localAddress = newAddress();
    await use(registerRoutes, localAddress);
    const answer = await post(setup, registerRequest(makeIdentity(), makeDeviceToken()), { localAddress });
    expectRefused(answer, 429, 'rate_limited');
    const seconds = Number(answer.headers['retry-after']);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(seconds).toBeGreaterThan(30);
  });

  it('requests that are refused for what they say count too', async () => {
    const localAddress = newAddress();
    for (let i = 0; i < LIMIT; i++) {
      const answer = await postText(setup, pushPaths.register, 'not JSON', { localAddress });
      expectRefused(answer, 400, 'invalid_request');
    }
    const answer = await post(setup, registerRequest(makeIdentity(), makeDeviceToken()), { localAddress });
    expectRefused(answer, 429, 'rate_limited');
  });

  it('requests whose body is too large count too', async () => {
    const localAddress = newAddress();
    for (let i = 0; i < LIMIT; i++) {
      const answer = await postText(setup, pushPaths.send, 'x'.repeat(20_000), { localAddress });
      expectRefused(answer, 413, 'payload_too_large');
    }
    const answer = await postText(setup, pushPaths.send, 'x'.repeat(20_000), { localAddress });
    expectRefused(answer, 429, 'rate_limited');
  });

  it.each([pushPaths.register, pushPaths.activity])('%s counts before the body is read', async (path) => {
    const localAddress = newAddress();
    const { host, port } = setup.push;
    const head = `POST ${path} HTTP/1.1\r\nHost: push.test\r\nContent-Type: application/json\r\n`;
    const connect = async (): Promise<RawSocket> => {
      const raw = await RawSocket.connect({ host, port, localAddress });
      onTestFinished(() => raw.destroy());
      await raw.write(`${head}Content-Length: 1000\r\n\r\n`);
      return raw;
    };
    for (let i = 0; i < LIMIT; i++) await connect();
    // They have come to nothing, and the next is told so without having sent a byte of its body.
    const answer = await (await connect()).response();
    expect([answer.status, answer.body]).toEqual([429, '{"error":"rate_limited"}']);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/u);
  });

  it('a connection that has reached the limit may go on', async () => {
    const localAddress = newAddress();
    const { host, port } = setup.push;
    const raw = await RawSocket.connect({ host, port, localAddress });
    onTestFinished(() => raw.destroy());
    const statuses: number[] = [];
    for (let i = 0; i < LIMIT + 2; i++) {
      await raw.write(`POST ${pushPaths.send} HTTP/1.1\r\nHost: push.test\r\nContent-Length: 2\r\n\r\n{}`);
      statuses.push((await raw.response()).status);
    }
    expect(statuses).toEqual([...Array<number>(LIMIT).fill(400), 429, 429]);
    await raw.write('GET /healthz HTTP/1.1\r\nHost: push.test\r\n\r\n');
    expect((await raw.response()).status).toBe(200);
  });

  it('health and unknown routes have no part in it', async () => {
    const localAddress = newAddress();
    for (let i = 0; i < 3 * LIMIT; i++) {
      expect((await postText(setup, '/healthz', '', { method: 'GET', localAddress })).status).toBe(200);
      expect((await postText(setup, '/v1/push/none', '{}', { localAddress })).status).toBe(404);
    }
    await use(registerRoutes, localAddress);
  });
});

/** Whether the relay takes both for one client IP; with one request a minute, the second tells. */
async function areSame(setup: PushSetup, first: PostOptions, second: PostOptions): Promise<boolean> {
  const ask = (options: PostOptions): Promise<PushAnswer> => {
    return post(setup, registerRequest(makeIdentity(), makeDeviceToken()), options);
  };
  expectOk(await ask(first));
  const { status } = await ask(second);
  expect([200, 429]).toContain(status);
  return status === 429;
}

function from(forwarded: string | readonly string[], localAddress = newAddress()): PostOptions {
  return { localAddress, headers: { 'X-Forwarded-For': forwarded } };
}

describe('the client IP with trust-proxy off', () => {
  const setup = usePush({ limits: { REGISTER_LIMIT_PER_MINUTE: 1 } });

  it('is the TCP peer, whatever X-Forwarded-For says', async () => {
    const localAddress = newAddress();
    expect(await areSame(setup, from('198.51.100.1', localAddress), from('198.51.100.2', localAddress))).toBe(
      true,
    );
    expect(await areSame(setup, from('198.51.100.3'), from('198.51.100.3'))).toBe(false);
  });
});

describe('the client IP with trust-proxy on', () => {
  const setup = usePush({ limits: { REGISTER_LIMIT_PER_MINUTE: 1, TRUST_PROXY: 'true' } });

  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['198.51.100.2', '::ffff:198.51.100.2'],
    ['::ffff:c633:6403', '198.51.100.3'],
    ['2001:db8:1:1::1', '2001:db8:1:1:ffff:ffff:ffff:ffff'],
    ['2001:db8:1:2::1', '2001:0DB8:0001:0002::2'],
  ])('%s and %s are one', async (first, second) => {
    expect(await areSame(setup, from(first), from(second))).toBe(true);
  });

  it.each([
    ['203.0.113.1', '203.0.113.2'],
    ['2001:db8:3:1::1', '2001:db8:3:2::1'],
    ['2001:db8:4:ff00::', '2001:db8:4:ff01::'],
  ])('%s and %s are two', async (first, second) => {
    const localAddress = newAddress();
    expect(await areSame(setup, from(first, localAddress), from(second, localAddress))).toBe(false);
  });

  it.each([
    ['two addresses', '203.0.113.10, 203.0.113.11'],
    ['nothing', ''],
    ['a word', 'unknown'],
    ['a port', '203.0.113.12:4711'],
    ['an address out of range', '203.0.113.256'],
    ['a network', '203.0.113.0/24'],
    ['brackets', '[2001:db8:6::1]'],
    ['two headers', ['203.0.113.13', '203.0.113.14']],
  ])('is the TCP peer when the header has %s', async (_name, forwarded) => {
    const localAddress = newAddress();
    expect(await areSame(setup, from(forwarded, localAddress), { localAddress })).toBe(true);
  });

  it('is the TCP peer without the header', async () => {
    const localAddress = newAddress();
    expect(await areSame(setup, { localAddress }, { localAddress })).toBe(true);
    expect(await areSame(setup, { localAddress: newAddress() }, { localAddress: newAddress() })).toBe(false);
  });

  it('a header that is megabytes of commas does not hurt', async () => {
    const { host, port } = setup.push;
    const raw = await RawSocket.connect({ host, port });
    onTestFinished(() => raw.destroy());
    await raw.write(`POST ${pushPaths.send} HTTP/1.1\r\nX-Forwarded-For: ${','.repeat(1_000_000)}\r\n\r\n`);
    await raw.response().catch(() => raw.ended());
    expect((await postText(setup, '/healthz', '', { method: 'GET' })).status).toBe(200);
  });
});

describe('SERVER_SEND_LIMIT_PER_MINUTE', () => {
  const LIMIT = 3;
  const setup = usePush({ limits: { SERVER_SEND_LIMIT_PER_MINUTE: LIMIT } });

  it('is shared by both send routes, and is the server’s alone', async () => {
    const { identity, token } = await boundServer(setup);
    const ask = (who: HostIdentity, i: number): PushRequest =>
      i % 2 === 0
        ? sendRequest(who, { tokens: [token], title: 'limit' })
        : activityRequest(who, { tokens: [token], event: 'update', contentState });
    for (let i = 0; i < LIMIT; i++) rowsOf(await post(setup, ask(identity, i)));
    const before = requestsTotal(setup);
    for (const i of [0, 1]) expectRefused(await post(setup, ask(identity, i)), 429, 'rate_limited');
    expect(requestsTotal(setup)).toBe(before);
    rowsOf(await post(setup, ask(makeIdentity(), 0)));
    // Registering is something else.
    expectOk(await post(setup, registerRequest(identity, token)));
  });

  it('asks to wait for at most a minute', async () => {
    const identity = makeIdentity();
    const ask = (): Promise<PushAnswer> => post(setup, sendRequest(identity, { tokens, title: 'limit' }));
    for (let i = 0; i < LIMIT; i++) rowsOf(await ask());
    const { status, headers } = await ask();
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  it('cannot be used up by somebody who does not have the key', async () => {
    const { identity, token } = await boundServer(setup);
    for (let i = 0; i < 2 * LIMIT; i++) {
      const forged = sendRequest(identity, { tokens: [token], title: 'forged' }, { signedText: 'forged' });
      expectRefused(await post(setup, forged), 401, 'invalid_signature');
    }
    for (let i = 0; i < LIMIT; i++) {
      const answer = await post(setup, sendRequest(identity, { tokens: [token], title: 'true' }));
      expect(rowsOf(answer)).toEqual([{ token, ok: true }]);
    }
  });
});

describe('the defaults', () => {
  it('are 60 requests by client IP, and 120 sends by server', async () => {
    const limits = {
      REGISTER_LIMIT_PER_MINUTE: '',
      SEND_LIMIT_PER_MINUTE: '',
      SERVER_SEND_LIMIT_PER_MINUTE: '',
    };
    const setup = await ownPush({ limits });
    const identity = makeIdentity();
    const ask = (localAddress: string): Promise<PushAnswer> =>
      post(setup, sendRequest(identity, { tokens, title: 'limit' }), { localAddress });
    for (const localAddress of [newAddress(), newAddress()]) {
      for (let i = 0; i < 60; i++) rowsOf(await ask(localAddress));
      // The address is used up, not only the server.
      const stranger = sendRequest(makeIdentity(), { tokens, title: 'limit' });
      expectRefused(await post(setup, stranger, { localAddress }), 429, 'rate_limited');
      for (let i = 0; i < 60; i++) {
        const registration = registerRequest(identity, makeDeviceToken());
        expectOk(await post(setup, registration, { localAddress }));
      }
      const registration = registerRequest(identity, makeDeviceToken());
      expectRefused(await post(setup, registration, { localAddress }), 429, 'rate_limited');
    }
    expectRefused(await ask(newAddress()), 429, 'rate_limited');
  });
});
