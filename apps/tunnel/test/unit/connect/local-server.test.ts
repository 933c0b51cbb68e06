import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { RelayClientError } from '@openchambery/client';
import type { RelayClientErrorCode } from '@openchambery/client';
import { RawSocket } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLocalServer } from '../../../src/connect/local-server.ts';
import type { PairingVerdict } from '../../../src/connect/pairing-standing.ts';
import { createRequestGuard } from '../../../src/connect/request-guard.ts';
import { createFakeDoor } from '../support/fake-door.ts';

async function listen(maxConnections?: number) {
  const { door, asked, askedSockets } = createFakeDoor();
  const verdicts: PairingVerdict[] = [];
  const guard = createRequestGuard('127.0.0.1');
  const server = createLocalServer({
    door,
    guard,
    onVerdict: (verdict) => void verdicts.push(verdict),
    ...(maxConnections === undefined ? {} : { maxConnections }),
  });
  const { port } = await server.listen('127.0.0.1', 0);
  onTestFinished(() => server.close());
  return { asked, askedSockets, verdicts, port, server, url: `http://127.0.0.1:${port}` };
}

async function connectRaw(port: number): Promise<RawSocket> {
  const socket = await RawSocket.connect({ port });
  onTestFinished(() => socket.reset());
  return socket;
}

const get = (more = '', path = '/'): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

const upgrade = get(
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
);

describe('a local server', () => {
  it('answers what is not a request for a path', async () => {
    const { port } = await listen();
    const socket = await connectRaw(port);
    void socket.write('OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect((await socket.response()).status).toBe(400);
  });

  it('takes an absolute target for its path', async () => {
    const { port, asked } = await listen();
    const socket = await connectRaw(port);
    void socket.write(get('', 'http://localhost/a?b'));
    const { request: seen, answer } = await asked.take();
    expect(seen).toMatchObject({ path: '/a', query: 'b', body: undefined });
    answer(204).end();
    expect((await socket.response()).status).toBe(204);
  });

  it('ignores the offer of HTTP/2', async () => {
    const { port, asked } = await listen();
    const socket = await connectRaw(port);
    void socket.write(get('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\n'));
    const { request: seen, answer } = await asked.take();
    expect(seen.headers).toEqual({});
    const body = answer(200);
    body.write('x');
    body.end();
    expect((await socket.response()).status).toBe(200);
  });

  it.each([
    ['http://localhost', undefined],
    // Of other pages the origin hears, and may refuse them.
    ['http://localhost:81', 'http://localhost:81'],
    ['https://localhost', 'https://localhost'],
    ['null', 'null'],
  ])('tells the origin of the page that asks, unless it is its own: %s', async (origin, told) => {
    const { port, asked } = await listen();
    const socket = await connectRaw(port);
    void socket.write(get(`Origin: ${origin}\r\n`));
    const { request: seen, answer } = await asked.take();
    expect(seen.headers['origin']).toBe(told);
    answer(204).end();
    expect((await socket.response()).status).toBe(204);
  });

  it('refuses what a page of somebody else posts, and the origin hears nothing', async () => {
    const { port, asked } = await listen();
    const socket = await connectRaw(port);
    const post = (headers: string): string => `POST / HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
    for (const headers of ['Sec-Fetch-Site: cross-site\r\n', 'Origin: https://evil.example\r\n']) {
      void socket.write(post(headers));
      const { status, body } = await socket.response();
      expect([status, JSON.parse(body)]).toMatchObject([403, { error: 'foreign_origin' }]);
    }
    void socket.write(post('Sec-Fetch-Site: same-site\r\nOrigin: http://localhost:81\r\n'));
    const { request: seen, answer } = await asked.take();
    expect([seen.headers['origin'], asked.total]).toEqual(['http://localhost:81', 1]);
    answer(204).end();
  });

  it('refuses an upgrade that is not to WebSocket 13', async () => {
    const { port } = await listen();
    for (const version of ['Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: x\r\n', '']) {
      const socket = await connectRaw(port);
      void socket.write(get(`Connection: Upgrade\r\nUpgrade: websocket\r\n${version}`));
      expect((await socket.response()).status).toBe(400);
    }
  });

  it('survives a program that resets the connection while its upgrade is refused', async () => {
    const { port, url, asked } = await listen();
    for (let round = 0; round < 20; round += 1) {
      const socket = await connectRaw(port);
      await socket.write(upgrade.replace('localhost', 'rebound.example'));
      socket.reset();
    }
    const sent = request(`${url}/`).end();
    (await asked.take()).answer(204).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.resume().statusCode).toBe(204);
  });

  it('says nothing that the origin did not say', async () => {
    const { url, asked } = await listen();
    const sent = request(`${url}/`, { headers: { connection: 'close' } }).end();
    const body = (await asked.take()).answer(200, { 'x-a': 'b', date: 'then' });
    body.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const said = answer.rawHeaders.map((text) => text.toLowerCase());
    const own = ['connection', 'close', 'transfer-encoding', 'chunked'];
    expect(said).toEqual(['x-a', 'b', 'date', 'then', ...own]);
    answer.resume();
  });

  it.each(['5', '500'])(
    'frames an answer by itself, whatever the Host says: a length of %s',
    async (length) => {
      const { url, asked } = await listen();
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => agent.destroy());
      const text = 'helloHTTP/1.1 200 OK\r\n\r\n';
      for (const path of ['/1', '/2']) {
        const sent = request(`${url}${path}`, { agent }).end();
        const body = (await asked.take()).answer(200, { 'content-length': length });
        body.write(text);
        body.end();
        const [answer] = (await once(sent, 'response')) as [IncomingMessage];
        let received = '';
        for await (const chunk of answer) received += String(chunk);
        expect(received).toBe(text);
      }
    },
  );

  it.each([
    ['HEAD', 200],
    ['GET', 304],
  ])('says of %s with the answer %i how long the body would be', async (method, status) => {
    const { port, asked } = await listen();
    const socket = await connectRaw(port);
    void socket.write(get().replace('GET', method));
    (await asked.take()).answer(status, { 'content-length': '5' }).end();
    expect(await socket.responseHead()).toMatchObject({ status, headers: { 'content-length': '5' } });
    void socket.write(get());
    (await asked.take()).answer(204).end();
    expect((await socket.response()).status).toBe(204);
  });

  it('takes as many connections as it may, and one more when one is gone', async () => {
    const { port, asked } = await listen(2);
    const [first, second] = [await connectRaw(port), await connectRaw(port)];
    for (const socket of [first, second]) {
      void socket.write(get());
      await asked.take();
    }
    const third = await connectRaw(port);
    await third.ended();
    first.reset();
    const next = await connectRaw(port);
    void next.write(get());
    await asked.take();
    expect(asked.total).toBe(3);
  });

  it('counts what is under way', async () => {
    const { url, asked, server } = await listen();
    const sent = request(`${url}/`).end();
    const { answer } = await asked.take();
    expect(server.openCount).toBe(1);
    answer(204).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    expect(server.openCount).toBe(0);
  });
});

describe('a tunnel that fails', () => {
  const lost = (code: RelayClientErrorCode, closeCode?: number): RelayClientError =>
    new RelayClientError(code, 'the reason', { closeCode });

  it.each([
    [lost('ERR_RELAY_CLIENT_UNREACHABLE'), 502, 'relay_unreachable'],
    [lost('ERR_RELAY_CLIENT_UNREACHABLE', 1006), 502, 'relay_unreachable'],
    [lost('ERR_RELAY_CLIENT_UNREACHABLE', 1012), 503, 'host_unavailable'],
    [lost('ERR_RELAY_CLIENT_HOST_UNAVAILABLE', 4008), 503, 'host_unavailable'],
    [lost('ERR_RELAY_CLIENT_REFUSED', 4029), 502, 'relay_refused'],
    [lost('ERR_RELAY_CLIENT_HANDSHAKE'), 502, 'handshake_failed'],
    [lost('ERR_RELAY_CLIENT_CONNECTION_LOST'), 502, 'connection_lost'],
    [lost('ERR_RELAY_CLIENT_CONNECT_TIMEOUT'), 504, 'connect_timeout'],
    [lost('ERR_RELAY_CLIENT_CLOSED'), 503, 'closed'],
    [new TypeError('too large', { cause: new RangeError() }), 431, 'headers_too_large'],
    [new Error('anything'), 502, 'tunnel_failed'],
  ])('with %s is answered %i', async (error, status, code) => {
    const { url, asked } = await listen();
    const sent = request(`${url}/`).end();
    (await asked.take()).fail(error);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    expect([answer.statusCode, JSON.parse(text)]).toMatchObject([status, { error: code }]);
  });

  it('before a body was read leaves the connection fit for the next request', async () => {
    const { port, asked } = await listen();
    const socket = await connectRaw(port);
    const length = 4 * 1024 * 1024;
    void socket.write(`PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`);
    const sending = socket.write(Buffer.alloc(length));
    (await asked.take()).fail(new Error('no tunnel'));
    expect((await socket.response()).status).toBe(502);
    await sending;
    void socket.write(get());
    (await asked.take()).answer(204).end();
    expect((await socket.response()).status).toBe(204);
  });

  it.each(['HTTP/1.1', 'HTTP/1.0'])(
    'in the middle of an answer resets the connection of %s',
    async (version) => {
      const { port, asked } = await listen();
      const socket = await connectRaw(port);
      void socket.write(`GET / ${version}\r\nHost: localhost\r\n\r\n`);
      const body = (await asked.take()).answer(200);
      body.write('half');
      await socket.read('half an answer', (bytes) =>
        bytes.includes('half') ? { value: true, usedBytes: bytes.length } : undefined,
      );
      body.fail(new Error('the tunnel broke'));
      expect(await socket.ended()).toBe('reset');
    },
  );
});

describe('what answers say about the pairing', () => {
  it('is told of requests', async () => {
    const { url, asked, verdicts } = await listen();
    for (const [status, text] of [
      [401, '{"error":"pairing_revoked"}'],
      [204, ''],
    ] as const) {
      const sent = request(`${url}/`).end();
      const body = (await asked.take()).answer(status, { 'content-type': 'application/json' });
      body.write(text);
      body.end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      await once(answer.resume(), 'end');
    }
    expect(verdicts).toEqual(['pairing_revoked', 'accepted']);
  });

  it('is told of WebSockets', async () => {
    const { port, askedSockets, verdicts } = await listen();
    for (const [reason, status] of [
      ['pairing_required', 401],
      ['path_not_allowed', 403],
    ] as const) {
      const socket = await connectRaw(port);
      void socket.write(upgrade);
      const error = new RelayClientError('ERR_RELAY_CLIENT_ABORTED_BY_HOST', reason, { reason });
      (await askedSockets.take()).fail(error);
      expect((await socket.response()).status).toBe(status);
    }
    expect(verdicts).toEqual(['pairing_required']);
  });
});

describe('an upload', () => {
  it('is read as fast as the tunnel takes it, and no faster', async () => {
    const { url, asked } = await listen();
    const total = 32 * 1024 * 1024;
    const sent = request(`${url}/`, { method: 'PUT', headers: { 'content-length': total } });
    sent.end(Buffer.alloc(total));
    const { request: seen, answer } = await asked.take();
    const reader = (seen.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    // What is not taken stays in the program: far more than all buffers between here and there.
    expect(sent.writableLength).toBeGreaterThan(total / 2);
    let bytes = first.value?.length ?? 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
    expect(bytes).toBe(total);
    answer(204).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
  });

  it('that is broken off breaks at the other end', async () => {
    const { url, asked } = await listen();
    const sent = request(`${url}/`, { method: 'PUT', headers: { 'content-length': 1000 } });
    sent.on('error', () => undefined);
    sent.write('half');
    const { request: seen, aborted } = await asked.take();
    const reader = (seen.body as ReadableStream<Uint8Array>).getReader();
    expect(String(Buffer.from((await reader.read()).value ?? ''))).toBe('half');
    sent.destroy();
    await expect(reader.read()).rejects.toThrow('the local program broke off its request');
    expect(await aborted).toBe('signal');
  });

  it.each(['Content-Length: 0\r\n', ''])('without a body (%j) has none', async (header) => {
    const { port, asked } = await listen();
    const socket = await connectRaw(port);
    void socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`);
    expect((await asked.take()).request.body).toBeUndefined();
  });
});

describe('the end of the server', () => {
  it('does not wait for a WebSocket that is still being opened', async () => {
    const { port, askedSockets, server } = await listen();
    const socket = await connectRaw(port);
    void socket.write(upgrade);
    await askedSockets.take();
    await server.close();
    await socket.ended();
    expect(server.openCount).toBe(0);
  });

  it('does not wait for a program that keeps open what was refused', async () => {
    const { port, askedSockets, server } = await listen();
    const socket = await connectRaw(port);
    void socket.write(upgrade);
    (await askedSockets.take()).fail(new Error('no tunnel'));
    expect((await socket.response()).status).toBe(502);
    await server.close();
  });
});

it('the end of the server cuts what is under way and frees the port', async () => {
  const { port, asked, server } = await listen();
  const socket = await connectRaw(port);
  void socket.write(get());
  const { aborted } = await asked.take();
  await server.close();
  expect(await aborted).toBe('signal');
  await socket.ended();
  await expect(RawSocket.connect({ port })).rejects.toThrow('ECONNREFUSED');
});
