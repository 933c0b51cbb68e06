import { encodeUpgrade, makeIdentity, RawWebSocket } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { request, responseOrEnd } from './support/http.ts';
import { roomy, useRelay } from './support/relay.ts';
import { connectHost, connectPair, connectRaw, expectCloseFrame } from './support/sockets.ts';

// Layer 1 §1: one listener, two health paths, and no request target that hurts.

const { serverId } = makeIdentity();
const clientFields = `v=1&role=client&serverId=${serverId}`;

describe('health endpoints', () => {
  const relay = useRelay({ limits: roomy });

  it.each(['/healthz', '/readyz'])('%s answers GET with a fixed JSON body', async (path) => {
    const answer = await request(relay, { path });
    expect(answer.status).toBe(200);
    expect(answer.body).toBe('{"status":"ok"}');
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it.each(['/healthz', '/readyz'])('%s answers HEAD with the same head and no body', async (path) => {
    const answer = await request(relay, { path, method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.body).toBe('');
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it.each(['/healthz?', '/healthz?a=b', '/healthz?%', '/readyz?a=%zz&&=', '/readyz??'])(
    'ignores the query of %s',
    async (path) => {
      const answer = await request(relay, { path });
      expect([answer.status, answer.body]).toEqual([200, '{"status":"ok"}']);
    },
  );

  it('reveals nothing of the relay state', async () => {
    const before = await request(relay, { path: '/healthz' });
    await connectPair(relay, await connectHost(relay));
    const after = await request(relay, { path: '/healthz' });
    expect(after.body).toBe(before.body);
    expect(Object.keys(after.headers).sort()).toEqual(Object.keys(before.headers).sort());
  });
});

describe('everything else', () => {
  const relay = useRelay({ limits: roomy });

  it.each([
    ['GET', '/ws'],
    ['GET', `/ws?${clientFields}`],
    ['GET', '/'],
    ['GET', '/healthz/'],
    ['GET', '/Healthz'],
    ['GET', '/readyz/x'],
    ['GET', '/metrics'],
    ['GET', '/v1/push/send'],
    ['POST', '/healthz'],
    ['PUT', '/readyz'],
    ['DELETE', '/healthz'],
    ['OPTIONS', '/healthz'],
    ['POST', '/ws'],
  ])('%s %s is 404 without a body', async (method, path) => {
    const answer = await request(relay, { method, path });
    expect([answer.status, answer.body]).toEqual([404, '']);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it.each([
    ['CONNECT', 'CONNECT relay.test:443 HTTP/1.1\r\nHost: relay.test\r\n\r\n'],
    ['an expectation', 'GET /ws HTTP/1.1\r\nHost: relay.test\r\nExpect: x\r\n\r\n'],
  ])('%s is 404 without a body', async (_name, bytes) => {
    const raw = await connectRaw(relay);
    void raw.write(bytes);
    const answer = await raw.response();
    expect([answer.status, answer.headers['content-length']]).toEqual([404, '0']);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('answers requests that carry a body', async () => {
    const answer = await request(relay, { method: 'POST', path: '/ws', body: 'x'.repeat(100_000) });
    expect(answer.status).toBe(404);
  });
});

describe('hostile request targets', () => {
  const relay = useRelay({ limits: roomy });

  async function answerTo(bytes: string): Promise<number | 'ended'> {
    const raw = await connectRaw(relay);
    void raw.write(bytes);
    const outcome = await responseOrEnd(raw);
    const health = await request(relay, { path: '/healthz' });
    expect(health.status).toBe(200);
    return outcome === 'ended' ? outcome : outcome.status;
  }

  function plain(method: string, target: string): string {
    return `${method} ${target} HTTP/1.1\r\nHost: relay.test\r\nConnection: close\r\n\r\n`;
  }

  it.each(['//', '///', '//healthz', '/%', '/%zz', '/%c0%af', '/%00', '/..', '/../healthz', '/?%', '/;'])(
    'answers 404 to GET %s',
    async (target) => {
      expect(await answerTo(plain('GET', target))).toBe(404);
    },
  );

  it.each([
    ['OPTIONS', '*'],
    ['GET', '*'],
    ['GET', 'http://'],
    ['GET', 'http://['],
    ['GET', 'http://relay.test/'],
    ['GET', 'http://relay.test:99999/healthz'],
    ['GET', 'https://user:secret@relay.test/ws?v=1'],
    ['GET', 'relay.test:443'],
    ['GET', '?'],
    ['GET', 'healthz'],
    ['GET', '/a b'],
    ['GET', '/\u0000'],
    ['GET', '/\u00ff\u00fe'],
    ['CONNECT', 'relay.test:443'],
    ['CONNECT', '/ws'],
  ])('answers or ends %s %j, and goes on', async (method, target) => {
    const outcome = await answerTo(plain(method, target));
    // A target that is not an origin form may be refused by the HTTP parser or the router.
    expect(outcome === 'ended' || outcome === 404 || (outcome >= 400 && outcome < 600)).toBe(true);
  });

  it.each([
    ['10 KB', 10_000],
    ['4 MB', 4_000_000],
  ])('answers or ends a GET whose target is %s long', async (_name, bytes) => {
    const outcome = await answerTo(plain('GET', `/${'a'.repeat(bytes)}`));
    expect(outcome === 'ended' || outcome >= 400).toBe(true);
  });

  it('answers or ends a health request with megabytes of query', async () => {
    const outcome = await answerTo(plain('GET', `/healthz?${'a'.repeat(3_000_000)}`));
    expect(outcome === 'ended' || outcome === 200 || outcome >= 400).toBe(true);
  });

  it.each([
    '//',
    '//ws',
    '///',
    '/%',
    '/%zz',
    '/ws%',
    '/ws?%',
    '/ws?%zz=%',
    '/ws??',
    '/ws?&&==&',
    '/..',
    `http://relay.test/ws?${clientFields}`,
    `/ws?${clientFields}&x=${'a'.repeat(8000)}`,
  ])('refuses an upgrade of %.40s with a WebSocket close 1008', async (target) => {
    const { host, port } = relay;
    const socket = await RawWebSocket.open({ host, port, request: { target } });
    onTestFinished(() => socket.raw.destroy());
    await expectCloseFrame(socket, 1008);
  });

  it.each(['*', 'http://[', 'relay.test:443', '?', '/a b', `/ws?${'a'.repeat(4_000_000)}`])(
    'answers or ends an upgrade of %.40s, and goes on',
    async (target) => {
      const outcome = await answerTo(encodeUpgrade({ target }).bytes);
      expect(outcome === 'ended' || outcome === 101 || (outcome >= 400 && outcome < 600)).toBe(true);
    },
  );
});
