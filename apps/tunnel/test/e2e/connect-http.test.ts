import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { eventually } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { BLOCK_BYTES, patternBlock, patternHash } from './support/origin.ts';
import { ask, headOf, textOf } from './support/ask.ts';
import { shared } from './support/keep.ts';
import { setScene } from './support/tunnel.ts';

const MIB = 1024 * 1024;

const scene = shared((keep) => setScene({ keep }));

describe('a request through the local port', () => {
  it('reaches the origin with its path, query, method and headers, and no secret', async () => {
    const { url, origin, link } = scene;
    const answer = await ask(`${url}/a%20b/c?d=%26&e`, {
      method: 'DELETE',
      headers: { 'X-Mine': 'ü'.normalize() },
    });
    expect(await textOf(answer)).toBe('DELETE /a%20b/c?d=%26&e');
    const seen = origin.seen.at(-1);
    expect(seen).toMatchObject({ method: 'DELETE', url: '/a%20b/c?d=%26&e' });
    expect(seen?.headers).toMatchObject({ host: `127.0.0.1:${origin.port}`, 'x-mine': 'ü' });
    expect(JSON.stringify(seen)).not.toContain(new URLSearchParams(link.split('#')[1]).get('s'));
  });

  it('gets each cookie as a header of its own', async () => {
    const { url } = scene;
    const answer = await ask(`${url}/cookies`, { headers: { cookie: 'x=1; y=2' } });
    expect(answer.headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2, c']);
    expect(await textOf(answer)).toBe('cookies');
  });

  it.each([
    ['HEAD', 200, ''],
    ['GET', 304, ''],
    ['GET', 204, ''],
    ['GET', 404, 'status 404'],
    ['GET', 500, 'status 500'],
  ])('%s with the answer %i', async (method, status, body) => {
    const { url } = scene;
    const answer = await ask(`${url}/status/${status}`, { method });
    expect([answer.statusCode, answer.headers['etag'], await textOf(answer)]).toEqual([status, '"e"', body]);
  });

  it('keeps its connection open for the next', async () => {
    const { url } = scene;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = [];
    for (const path of ['/1', '/2', '/3']) {
      const answer = await ask(`${url}${path}`, { agent });
      ports.push(answer.socket.localPort);
      expect(await textOf(answer)).toBe(`GET ${path}`);
    }
    agent.destroy();
    expect(new Set(ports).size).toBe(1);
  });

  it('is told to go on when it waits for that', async () => {
    const { url } = scene;
    const sent = request(`${url}/hash`, {
      method: 'POST',
      headers: { expect: '100-continue', 'content-length': 5 },
    });
    sent.flushHeaders();
    await once(sent, 'continue');
    sent.end('hello');
    expect(JSON.parse(await textOf(await headOf(sent)))).toMatchObject({ bytes: 5 });
  });

  it('may be answered before its body is there', async () => {
    const { url } = scene;
    const sent = request(`${url}/early`, { method: 'POST', headers: { 'content-length': 10 * MIB } });
    sent.on('error', () => undefined);
    sent.write(Buffer.alloc(MIB));
    const answer = await headOf(sent);
    expect([answer.statusCode, await textOf(answer)]).toEqual([413, 'too much']);
    sent.destroy();
  });
});

describe('long transfers', () => {
  it('uploads 100 MiB, every byte of it', async () => {
    const { url } = scene;
    const bytes = 100 * MIB;
    const sent = request(`${url}/hash`, { method: 'PUT' });
    const answered = headOf(sent);
    for (let index = 0; index < bytes / BLOCK_BYTES; index += 1) {
      if (!sent.write(patternBlock(index))) await once(sent, 'drain');
    }
    sent.end();
    expect(JSON.parse(await textOf(await answered))).toEqual({ bytes, sha256: patternHash(bytes) });
  }, 60_000);

  it('downloads 100 MiB, every byte of it', async () => {
    const { url } = scene;
    const bytes = 100 * MIB;
    const hash = createHash('sha256');
    for await (const chunk of await ask(`${url}/bytes/${bytes}`)) hash.update(chunk as Buffer);
    expect(hash.digest('hex')).toBe(patternHash(bytes));
  }, 60_000);

  it('events arrive one by one, as they happen', async () => {
    const { url, origin } = scene;
    const asked = ask(`${url}/hold`, { headers: { accept: 'text/event-stream' } });
    const held = await origin.held.take();
    held.writeHead(200, { 'content-type': 'text/event-stream' });
    held.flushHeaders();
    // The head is there before the first event.
    const answer = await asked;
    expect(answer.headers['content-type']).toBe('text/event-stream');
    for (const event of ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']) {
      held.write(event);
      const [chunk] = (await once(answer, 'data')) as [Buffer];
      expect(String(chunk)).toBe(event);
      answer.pause();
      answer.resume();
    }
    held.end();
    await once(answer, 'end');
  });
});

describe('what breaks', () => {
  it('at the origin cuts the local connection in the middle of the answer', async () => {
    const { url, origin } = scene;
    const asked = ask(`${url}/hold`);
    const held = await origin.held.take();
    held.write('half');
    const answer = await asked;
    const [chunk] = (await once(answer, 'data')) as [Buffer];
    expect(String(chunk)).toBe('half');
    held.destroy();
    await expect(once(answer, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(answer.complete).toBe(false);
  });

  it('at the local program ends the request at the origin', async () => {
    const { url, origin } = scene;
    const sent = request(`${url}/hold`);
    sent.on('error', () => undefined);
    sent.end();
    const held = await origin.held.take();
    held.write('half');
    await headOf(sent);
    sent.destroy();
    expect(await origin.broken.take()).toBe('/hold');
  });

  it('before there is an answer ends the request at the origin, too', async () => {
    const { url, origin } = scene;
    const sent = request(`${url}/hold`);
    sent.on('error', () => undefined);
    sent.end();
    await origin.held.take();
    sent.destroy();
    expect(await origin.broken.take()).toBe('/hold');
  });

  it('in the middle of an upload ends it at the origin', async () => {
    const { url, origin } = scene;
    const sent = request(`${url}/hash`, { method: 'PUT', headers: { 'content-length': 10 * MIB } });
    sent.on('error', () => undefined);
    sent.write(Buffer.alloc(MIB));
    await eventually(() => expect(origin.seen.at(-1)).toMatchObject({ method: 'PUT', url: '/hash' }));
    sent.destroy();
    await origin.broken.take({ matches: (path) => path === '/hash' });
  });

  it('is a 502 with a reason when the origin is not there', async () => {
    const { url, origin } = await setScene({ relay: scene.relay });
    origin.server.close();
    origin.server.closeAllConnections();
    const answer = await ask(`${url}/`);
    expect(answer.statusCode).toBe(502);
    expect(JSON.parse(await textOf(answer))).toMatchObject({ error: 'origin_unreachable' });
  });
});

describe('the guard of the port', () => {
  it('answers 421 to another Host, and the origin hears nothing', async () => {
    const { url, origin } = scene;
    const answer = await ask(`${url}/rebound`, { headers: { host: 'rebound.example' } });
    expect(answer.statusCode).toBe(421);
    expect(JSON.parse(await textOf(answer))).toMatchObject({ error: 'wrong_host' });
    expect(origin.seen.map((each) => each.url)).not.toContain('/rebound');
  });

  it('lets in the names of this machine', async () => {
    const { url, port } = scene;
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      expect((await ask(`${url}/`, { headers: { host } })).statusCode).toBe(200);
    }
  });

  it('holds for paths that expose does not allow', async () => {
    const { url, origin } = await setScene({ relay: scene.relay, args: ['--allow', '/api', '/x'] });
    for (const [path, status] of [
      ['/api/1', 200],
      ['/x', 200],
      ['/apis', 403],
      ['/', 403],
    ] as const) {
      expect((await ask(`${url}${path}`)).statusCode).toBe(status);
    }
    expect(origin.seen.map((each) => each.url)).toEqual(['/api/1', '/x']);
  });
});
