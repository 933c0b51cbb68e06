import { delay, eventually } from '@openchambery/testkit';
import type { RawSocket, RelayProcess } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepAliveAgent, request } from './support/http.ts';
import { roomy, useRelay } from './support/relay.ts';
import { connectHost, connectPair, connectRaw, expectFlows, expectLive } from './support/sockets.ts';

// Layer 1 §1: slow-request protection and the limits on TCP connections.

const HANDSHAKE_MS = 500;
const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: relay.test\r\n\r\n`;

describe('a connection without a complete request head', () => {
  const relay = useRelay({ limits: { ...roomy, HANDSHAKE_MS } });

  it('is destroyed after HANDSHAKE_MS when it says nothing', async () => {
    const startedAt = performance.now();
    const raw = await connectRaw(relay);
    await raw.ended();
    expect(performance.now() - startedAt).toBeGreaterThan(HANDSHAKE_MS - 50);
  });

  it('is destroyed even while it keeps sending bits of the head', async () => {
    const startedAt = performance.now();
    const raw = await connectRaw(relay);
    void raw.write('GET /healthz HTTP/1.1\r\n');
    const dribble = setInterval(() => void raw.write('X-More: yes\r\n'), 50);
    onTestFinished(() => clearInterval(dribble));
    await raw.ended();
    expect(performance.now() - startedAt).toBeGreaterThan(HANDSHAKE_MS - 50);
  });

  it('is destroyed in the middle of an upgrade request too', async () => {
    const raw = await connectRaw(relay);
    void raw.write('GET /ws?v=1 HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n');
    await raw.ended();
  });

  it('is served when the head is complete in time', async () => {
    const raw = await connectRaw(relay);
    const [first, second] = ['GET /healthz HTTP/1.1\r\n', 'Host: relay.test\r\n\r\n'];
    void raw.write(first);
    await delay(HANDSHAKE_MS / 5);
    void raw.write(second);
    expect((await raw.response()).status).toBe(200);
  });
});

describe('the deadline ends with the head', () => {
  const relay = useRelay({ limits: { ...roomy, HANDSHAKE_MS } });

  it('leaves a keep-alive connection between requests alone', async () => {
    const agent = keepAliveAgent();
    await request(relay, { path: '/healthz', agent });
    await delay(3 * HANDSHAKE_MS);
    const answer = await request(relay, { path: '/healthz', agent });
    expect([answer.status, answer.reused]).toEqual([200, true]);
  });

  it('leaves a keep-alive connection that had a 404 alone', async () => {
    const agent = keepAliveAgent();
    await request(relay, { path: '/nothing', agent });
    await delay(2 * HANDSHAKE_MS);
    const answer = await request(relay, { path: '/healthz', agent });
    expect([answer.status, answer.reused]).toEqual([200, true]);
  });

  it('does not cut answers that are read slowly', async () => {
    const count = 5;
    const raw = await connectRaw(relay);
    raw.pause();
    void raw.write(get('/healthz').repeat(count));
    await delay(3 * HANDSHAKE_MS);
    raw.resume();
    for (let i = 0; i < count; i++) expect((await raw.response()).status).toBe(200);
  });

  it('does not reset a request whose body is slow', async () => {
    const raw = await connectRaw(relay);
    void raw.write('POST /nothing HTTP/1.1\r\nHost: relay.test\r\nContent-Length: 2000\r\n\r\n');
    void raw.write('x'.repeat(1000));
    await delay(3 * HANDSHAKE_MS);
    await raw.write('x'.repeat(1000));
    expect((await raw.response()).status).toBe(404);
  });

  it('does not touch WebSockets', async () => {
    const host = await connectHost(relay);
    const pair = await connectPair(relay, host);
    await delay(2 * HANDSHAKE_MS);
    await expectFlows(pair);
    await expectLive(relay, host);
  });
});

describe('an idle keep-alive connection', () => {
  const relay = useRelay({ limits: roomy });

  it('outlives the five seconds after which Node would cut it', async () => {
    const agent = keepAliveAgent();
    await request(relay, { path: '/healthz', agent });
    await delay(7000);
    const answer = await request(relay, { path: '/healthz', agent });
    expect([answer.status, answer.reused]).toEqual([200, true]);
  });

  it('is announced, if at all, as longer than the 90 s of a usual proxy', async () => {
    const answer = await request(relay, { path: '/healthz', headers: { connection: 'keep-alive' } });
    expect(answer.headers.connection).not.toBe('close');
    const seconds = /timeout=(\d+)/u.exec(String(answer.headers['keep-alive'] ?? ''))?.[1];
    if (seconds !== undefined) expect(Number(seconds)).toBeGreaterThan(90);
  });
});

/** A TCP connection that the relay serves. */
async function admitted(relay: RelayProcess, localAddress: string, headers = ''): Promise<RawSocket> {
  const raw = await connectRaw(relay, localAddress);
  void raw.write(`GET /healthz HTTP/1.1\r\nHost: relay.test\r\n${headers}\r\n`);
  const { status } = await raw.responseHead();
  expect(status).toBe(200);
  return raw;
}

/** So many served connections, two from each address. */
async function admittedAll(relay: RelayProcess, count: number): Promise<RawSocket[]> {
  const served: RawSocket[] = [];
  for (let i = 0; i < count; i++) served.push(await admitted(relay, `127.0.2.${1 + Math.floor(i / 2)}`));
  return served;
}

/** A TCP connection that the relay destroys at once: long before any deadline, without an answer. */
async function expectDestroyed(relay: RelayProcess, localAddress: string): Promise<void> {
  const startedAt = performance.now();
  const raw = await connectRaw(relay, localAddress);
  void raw.write(get('/healthz'));
  await raw.ended();
  expect(raw.receivedBytes).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(5000);
}

describe('MAX_RAW_SOCKETS', () => {
  const limits = { ...roomy, MAX_RAW_SOCKETS: 6, MAX_RAW_SOCKETS_PER_IP: 6, HANDSHAKE_MS: 60_000 };
  const relay = useRelay({ limits });

  it('serves that many connections in all and destroys one more', async () => {
    const served = await admittedAll(relay, 6);
    await expectDestroyed(relay, '127.0.2.9');
    served[0]?.reset();
    await eventually(() => admitted(relay, '127.0.2.9'));
  });
});

describe('MAX_RAW_SOCKETS_PER_IP', () => {
  const limits = { ...roomy, MAX_RAW_SOCKETS_PER_IP: 3, HANDSHAKE_MS: 60_000 };
  const relay = useRelay({ limits });
  const proxied = useRelay({ limits, args: ['--trust-proxy'] });

  it('serves that many connections from one address and destroys one more', async () => {
    const served: RawSocket[] = [];
    for (let i = 0; i < 3; i++) served.push(await admitted(relay, '127.0.1.1'));
    await expectDestroyed(relay, '127.0.1.1');
    await admitted(relay, '127.0.1.2');
    served[0]?.destroy();
    await eventually(() => admitted(relay, '127.0.1.1'));
  });

  it('counts connections that have not sent a byte', async () => {
    for (let i = 0; i < 3; i++) await connectRaw(relay, '127.0.3.1');
    await expectDestroyed(relay, '127.0.3.1');
  });

  it('counts upgraded connections', async () => {
    const localAddress = '127.0.4.1';
    const host = await connectHost(relay, { localAddress });
    await connectPair(relay, host, { localAddress });
    await expectDestroyed(relay, localAddress);
  });

  it('counts the TCP peer whatever X-Forwarded-For says', async () => {
    for (let i = 1; i <= 3; i++) {
      await admitted(proxied, '127.0.5.1', `X-Forwarded-For: 198.51.100.${i}\r\n`);
    }
    await expectDestroyed(proxied, '127.0.5.1');
    await admitted(proxied, '127.0.5.2', 'X-Forwarded-For: 198.51.100.1\r\n');
  });
});
