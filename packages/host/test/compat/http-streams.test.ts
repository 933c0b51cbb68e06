import { createHash } from 'node:crypto';
import { patternPieces, patternSha256, PEER_FRAME } from '@openchambery/testkit';
import type { TunnelTestClient } from '@openchambery/testkit';
import { describe, expect, test } from 'vitest';
import { expectAlive, makeWorld } from './world.ts';

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  readonly bytes: number;
}

async function echo(
  client: TunnelTestClient,
  request: Parameters<TunnelTestClient['request']>[0],
): Promise<Echo> {
  const { status, body } = await client.request(request);
  expect(status).toBe(200);
  return JSON.parse(body.toString()) as Echo;
}

describe('a request', () => {
  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'reaches the origin as %s',
    async (method) => {
      const { connect } = await makeWorld();
      const client = await connect();
      const body = method === 'GET' ? [] : ['some ', 'text'];
      const got = await echo(client, { method, path: '/echo', query: 'a=1&b=%2F&a=2', body });
      expect(got).toMatchObject({ method, url: '/echo?a=1&b=%2F&a=2', body: body.join('') });
    },
  );

  test('without a query has no question mark', async () => {
    const { connect } = await makeWorld();
    const client = await connect();
    expect((await echo(client, { path: '/echo' })).url).toBe('/echo');
  });

  test('keeps the escapes of its path', async () => {
    const { connect } = await makeWorld();
    const client = await connect();
    expect((await echo(client, { path: '/echo/a%20b%2Fc;d=e' })).url).toBe('/echo/a%20b%2Fc;d=e');
  });

  test('loses hop-by-hop headers, host and content-length, keeps the others', async () => {
    const { connect, origin } = await makeWorld();
    const client = await connect();
    const { headers, rawHeaders } = await echo(client, {
      method: 'POST',
      path: '/echo',
      headers: {
        connection: 'close, x-listed',
        'x-listed': 'hop',
        'keep-alive': 'timeout=99',
        'proxy-authenticate': 'x',
        'proxy-authorization': 'x',
        te: 'trailers',
        trailer: 'x-trailer',
        'transfer-encoding': 'gzip',
        upgrade: 'h2c',
        host: 'elsewhere.example',
        'content-length': '999',
        'content-type': 'text/plain',
        authorization: 'Bearer mine',
        cookie: 'a=1; b=2',
        'x-kept': 'yes',
      },
      body: ['abc'],
    });
    expect(headers).toMatchObject({
      host: new URL(origin.url).host,
      'content-type': 'text/plain',
      authorization: 'Bearer mine',
      cookie: 'a=1; b=2',
      'x-kept': 'yes',
    });
    const names = Object.keys(headers);
    for (const name of [
      'x-listed',
      'proxy-authenticate',
      'proxy-authorization',
      'te',
      'trailer',
      'upgrade',
    ]) {
      expect(names).not.toContain(name);
    }
    expect(headers['keep-alive']).not.toBe('timeout=99');
    expect(rawHeaders).not.toContain('999');
    expect(headers['transfer-encoding'] ?? 'chunked').toBe('chunked');
  });

  test('carries the id of its connection, whatever the Client claims', async () => {
    const { connect, host } = await makeWorld();
    const opened = new Promise<string>((resolve) => {
      host.on('connectionOpened', ({ connectionId }) => resolve(connectionId));
    });
    const client = await connect();
    const { headers, rawHeaders } = await echo(client, {
      path: '/echo',
      headers: { 'x-openchamber-relay-connection': 'forged', 'X-OpenChamber-Relay-Connection': 'forged too' },
    });
    expect(headers['x-openchamber-relay-connection']).toBe(await opened);
    expect(rawHeaders.join()).not.toContain('forged');
  });

  test('gets no credentials from the Host', async () => {
    const { connect } = await makeWorld();
    const client = await connect();
    const { headers } = await echo(client, { path: '/echo' });
    for (const name of ['authorization', 'cookie', 'proxy-authorization'])
      expect(headers).not.toHaveProperty(name);
  });

  test('that is large arrives whole', async () => {
    const { connect } = await makeWorld();
    const client = await connect();
    const bytes = 5_000_000;
    const body = [...patternPieces(bytes, 60_000)];
    const { body: answer } = await client.request({ method: 'POST', path: '/sink', body });
    expect(JSON.parse(answer.toString())).toEqual({ bytes, sha256: patternSha256(bytes) });
  });

  test.each([
    ['a member that nobody knows', { extra: 1 }],
    ['no headers at all', { headers: {} }],
  ])('with %s is served', async (_name, members) => {
    const { connect } = await makeWorld();
    const client = await connect();
    const id = client.takeId();
    const head = { method: 'GET', path: '/status/200', query: '', headers: {}, ...members };
    void client.sendFrame(PEER_FRAME.httpRequest, id, head);
    void client.sendFrame(PEER_FRAME.streamEnd, id);
    expect((await client.answerTo(id)).status).toBe(200);
  });
});

describe('an answer', () => {
  test.each([true, false])('that is large arrives whole (batching %s)', async (batch) => {
    const { connect } = await makeWorld();
    const client = await connect({ batch });
    const { body } = await client.request({ path: '/bytes/5000000' });
    expect(createHash('sha256').update(body).digest('hex')).toBe(patternSha256(5_000_000));
  });

  test.each([204, 205, 304, 404, 418, 503])('has the status of the origin: %i', async (status) => {
    const { connect } = await makeWorld();
    const client = await connect();
    const answer = await client.request({ path: `/status/${status}` });
    expect(answer.status).toBe(status);
    expect(answer.headers['x-status']).toBe(String(status));
    expect(answer.body.length > 0).toBe(![204, 205, 304].includes(status));
  });

  test('to HEAD has no body', async () => {
    const { connect } = await makeWorld();
    const client = await connect();
    const answer = await client.request({ method: 'HEAD', path: '/bytes/1000' });
    expect([answer.status, answer.body.length]).toEqual([200, 0]);
  });

  test('loses its hop-by-hop headers and content-length', async () => {
    const { connect } = await makeWorld();
    const client = await connect();
    const { headers } = await client.request({ path: '/hop-by-hop' });
    for (const name of [
      'connection',
      'keep-alive',
      'transfer-encoding',
      'content-length',
      'content-encoding',
    ]) {
      expect(headers).not.toHaveProperty(name);
    }
    expect(headers).toMatchObject({ 'x-end-to-end': 'kept', 'x-several': 'one, two' });
    const plain = await client.request({ path: '/bytes/10' });
    expect(plain.headers).not.toHaveProperty('content-length');
  });

  test('that was compressed comes decoded, as it loses content-encoding', async () => {
    const { connect } = await makeWorld();
    const client = await connect();
    for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
      const answer = await client.request({ path: '/gzip', headers });
      expect(answer.headers).not.toHaveProperty('content-encoding');
      expect(answer.body.toString()).toBe('compressed '.repeat(1000));
    }
  });

  test('keeps each cookie apart', async () => {
    const { connect } = await makeWorld();
    const client = await connect();
    const { headers } = await client.request({ path: '/cookies' });
    expect(headers['set-cookie']).toEqual([
      'a=1; Path=/',
      'b=2; Expires=Wed, 09 Jun 2100 10:18:14 GMT',
      'c=3; HttpOnly',
    ]);
  });

  test('that redirects is passed on, not followed', async () => {
    const { connect, origin } = await makeWorld();
    const client = await connect();
    const { status, headers } = await client.request({ path: '/redirect/0', query: 'status=307&to=/echo' });
    expect([status, headers['location']]).toEqual([307, '/echo']);
    expect(origin.requestsTotal).toBe(1);
  });

  test('begins before the request has ended, and goes on after', async () => {
    const { connect } = await makeWorld();
    const client = await connect();
    const id = client.takeId();
    void client.sendFrame(PEER_FRAME.httpRequest, id, {
      method: 'POST',
      path: '/echo-stream',
      query: '',
      headers: {},
    });
    expect((await client.nextJson<{ status: number }>({ id })).status).toBe(200);
    for (const text of ['first', 'second']) {
      void client.sendFrame(PEER_FRAME.httpBody, id, text);
      const frame = await client.nextFrame({ id });
      expect([frame.type, frame.payload.toString()]).toEqual([PEER_FRAME.httpBody, text]);
    }
    void client.sendFrame(PEER_FRAME.streamEnd, id);
    expect((await client.nextFrame({ id })).type).toBe(PEER_FRAME.streamEnd);
  });

  test('comes in any number at a time, each on its own stream', async () => {
    const { connect } = await makeWorld();
    const client = await connect();
    const ids = Array.from({ length: 40 }, (_, index) =>
      client.ask({ method: 'POST', path: '/echo-stream', body: [`body ${index}`] }),
    );
    const answers = await Promise.all(ids.map((id) => client.answerTo(id)));
    expect(answers.map(({ body }) => body.toString())).toEqual(ids.map((_, index) => `body ${index}`));
  });
});

describe('the path policy', () => {
  test('is asked with the secret of the pairing, which the origin never sees', async () => {
    const asked: unknown[] = [];
    const { connect, origin } = await makeWorld({
      policy: {
        admit: ({ secret, path, kind }) => {
          asked.push([kind, path, secret]);
          if (secret === 'right') return { isAllowed: true };
          return { isAllowed: false, status: 401, error: 'secret', message: 'the link was revoked' };
        },
      },
    });
    const client = await connect();
    const good = { 'x-openchamber-pairing-secret': 'right' };
    const { headers } = await echo(client, { path: '/echo', headers: good });
    expect(JSON.stringify(headers)).not.toContain('right');
    const refused = await client.request({
      path: '/echo',
      headers: { 'x-openchamber-pairing-secret': 'wrong' },
    });
    expect([refused.status, origin.requestsTotal]).toEqual([401, 1]);
    const id = client.takeId();
    void client.sendFrame(PEER_FRAME.wsOpen, id, { path: '/ws/a', query: '', headers: good });
    await client.nextFrame({ id, type: PEER_FRAME.wsOpened });
    expect(JSON.stringify(origin.requests[1]?.headers)).not.toContain('right');
    const refusedId = client.takeId();
    void client.sendFrame(PEER_FRAME.wsOpen, refusedId, { path: '/ws/a', query: '' });
    await client.nextFrame({ id: refusedId, type: PEER_FRAME.streamAbort });
    expect(origin.requestsTotal).toBe(2);
    expect(asked).toEqual([
      ['http', '/echo', 'right'],
      ['http', '/echo', 'wrong'],
      ['websocket', '/ws/a', 'right'],
      ['websocket', '/ws/a', undefined],
    ]);
  });

  test('answers a refused path with 403 in JSON, and the origin hears nothing', async () => {
    const { connect, origin } = await makeWorld({ policy: { allowPaths: ['/echo', '/status'] } });
    const client = await connect();
    for (const path of ['/sink', '/', '/echoes', '/echo/../sink', '/echo/%2e%2e/sink', '//echo', '/ECHO']) {
      const { status, headers, body } = await client.request({ method: 'POST', path, body: ['x'] });
      expect([path, status]).toEqual([path, 403]);
      expect(headers['content-type']).toMatch(/^application\/json/);
      expect(JSON.parse(body.toString())).toBeTypeOf('object');
    }
    expect(origin.requestsTotal).toBe(0);
    await expectAlive(client);
    expect((await echo(client, { path: '/echo/below' })).url).toBe('/echo/below');
  });

  test('answers a refused WebSocket with StreamAbort, and the origin hears nothing', async () => {
    const { connect, origin } = await makeWorld({ policy: { allowPaths: ['/status'] } });
    const client = await connect();
    const id = client.takeId();
    void client.sendFrame(PEER_FRAME.wsOpen, id, { path: '/ws/echo', query: '' });
    const frame = await client.nextFrame({ id });
    expect(frame.type).toBe(PEER_FRAME.streamAbort);
    expect(JSON.parse(frame.payload.toString())).toEqual({ reason: expect.any(String) });
    expect(origin.requestsTotal).toBe(0);
    await expectAlive(client);
  });
});
