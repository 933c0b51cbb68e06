import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createHttpServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock, freePort, startTestOrigin } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { json, Rig, text } from '../rig.ts';
import type { DispatcherOptions } from '../../../src/dispatch/create-dispatcher.ts';

/** A rig in front of a server that does with each connection what the test wants. */
async function rawOrigin(
  serve: (socket: Socket, count: number) => void,
  options: Omit<DispatcherOptions, 'origin' | 'handler'> = {},
): Promise<Rig> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => 'the test looks at the other end');
    count += 1;
    serve(socket, count);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as { port: number };
  return new Rig({ ...options, origin: `http://127.0.0.1:${port}` });
}

/** A rig in front of a server that answers every connection's first bytes with `bytes`. */
function answering(bytes: string, end: 'ends' | 'stays' = 'ends'): Promise<Rig> {
  return rawOrigin((socket) => {
    socket.once('data', () => (end === 'ends' ? socket.end(bytes, 'latin1') : socket.write(bytes, 'latin1')));
  });
}

describe('an origin that does not listen', () => {
  it.each(['127.0.0.1', 'localhost', 'app.localhost', '[::1]'])('is unreachable at %s', async (name) => {
    const rig = new Rig({ origin: `http://${name}:${await freePort()}` });
    const answer = await rig.fetch({ method: 'POST', path: '/a/b', query: 'token=secret' }, 'body');
    expect(answer.head).toEqual({
      status: 502,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
    expect(await json(answer)).toEqual({ error: 'origin_unreachable', message: expect.any(String) });
    expect(await rig.failures.take()).toEqual({ path: '/a/b', error: 'origin_unreachable' });
  });
});

describe('an origin by name', () => {
  it.each(['127.0.0.1', '::1'])('is found where it listens, at %s', async (host) => {
    const origin = await startTestOrigin({ host });
    onTestFinished(() => origin.close());
    for (const name of ['localhost', 'deep.app.localhost']) {
      const rig = new Rig({ origin: `http://${name}:${new URL(origin.url).port}` });
      expect((await rig.fetch({ path: '/echo' })).head.status).toBe(200);
    }
  });
});

describe('an origin that breaks off', () => {
  it.each(['ends', 'resets'] as const)('before it answers, and %s', async (how) => {
    const rig = await rawOrigin((socket) => {
      socket.once('data', () => (how === 'ends' ? socket.end() : socket.resetAndDestroy()));
    });
    const answer = await rig.fetch({ path: '/x' });
    expect(answer.head.status).toBe(502);
    expect(await json(answer)).toMatchObject({ error: 'bad_gateway' });
    expect(await rig.failures.take()).toEqual({ path: '/x', error: 'bad_gateway' });
  });

  it.each(['reset', 'truncate'])('in the middle of its answer: %s', async (how) => {
    const origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    const rig = new Rig({ origin: origin.url });
    const request = rig.open({ path: `/${how}/1000` });
    request.body.end();
    const answer = await request.answer();
    expect(answer.head.status).toBe(200);
    expect(await request.aborted()).toBe('the origin broke off its answer');
    expect(answer.body.isEnded).toBe(false);
    expect(await rig.failures.take()).toEqual({ path: `/${how}/1000`, error: 'origin_broke_off' });
  });

  it('in the middle of something compressed', async () => {
    const rig = await answering(
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08',
    );
    const request = rig.open({ path: '/' });
    request.body.end();
    expect(await request.aborted()).toBe('the origin broke off its answer');
  });

  it('while it is being sent something, with an RST', async () => {
    const rig = await rawOrigin((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    const request = rig.open({ method: 'PUT', path: '/' });
    request.body.send(Buffer.alloc(1_000_000));
    expect((await request.answer()).head.status).toBe(502);
  });
});

describe('an origin that answers without HTTP', () => {
  it.each([
    ['garbage', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['a broken header', 'HTTP/1.1 200 OK\r\nBad Header\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    ['a status of its own', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['an unknown coding', 'HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\nContent-Length: 1\r\n\r\nx'],
    [
      'a part of something compressed',
      'HTTP/1.1 206 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx',
    ],
  ])('is a bad gateway: %s', async (_what, bytes) => {
    for (const end of ['ends', 'stays'] as const) {
      const rig = await answering(bytes, end);
      const answer = await rig.fetch({ path: '/' });
      expect(answer.head.status).toBe(502);
      expect(await json(answer)).toMatchObject({ error: 'bad_gateway' });
    }
  });

  it('is taken at its word up to where it is wrong', async () => {
    const rig = await answering('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n');
    const request = rig.open({ path: '/' });
    request.body.end();
    expect(String(await (await request.answer()).body.take())).toBe('abc');
    expect(await request.aborted()).toBe('the origin broke off its answer');
  });

  it('may end its answer with the connection', async () => {
    const rig = await answering('HTTP/1.0 200 OK\r\n\r\nuntil the end');
    expect(await text(await rig.fetch({ path: '/' }))).toBe('until the end');
  });

  it('may say more than it announced', async () => {
    const rig = await answering('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef', 'stays');
    expect(await text(await rig.fetch({ path: '/' }))).toBe('abc');
    expect(await text(await rig.fetch({ path: '/' }))).toBe('abc');
    expect(rig.failures.size).toBe(0);
  });
});

describe('the head of an answer', () => {
  it.each([1, 60_000])('fits the tunnel with %i bytes', async (length) => {
    const rig = await answering(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(length)}\r\nContent-Length: 0\r\n\r\n`);
    expect((await rig.fetch({ path: '/' })).head.headers).toEqual({ x: 'x'.repeat(length) });
  });

  it('may be more than the tunnel takes', async () => {
    const head = `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1000)}\r\nContent-Length: 1\r\n\r\ny`;
    const answer = await (await answering(head)).fetch({ path: '/', maxHeadBytes: 1000 });
    expect(answer.head.status).toBe(502);
    expect(await json(answer)).toMatchObject({ error: 'response_headers_too_large' });
  });

  it('may be more than anybody takes', async () => {
    const rig = await answering(`HTTP/1.1 200 OK\r\n${`X: ${'x'.repeat(1000)}\r\n`.repeat(200)}\r\n`);
    const answer = await rig.fetch({ path: '/' });
    expect(await json(answer)).toMatchObject({ error: 'response_headers_too_large' });
  });
});

describe('a connection that was kept too long', () => {
  /** Answers the first request of the first connection, and closes it as the second request arrives on it. */
  function stale(how: 'ends' | 'resets'): Promise<Rig> {
    return rawOrigin((socket, count) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx');
        if (count === 1)
          socket.once('data', () => (how === 'ends' ? socket.end() : socket.resetAndDestroy()));
      });
    });
  }

  it.each(['ends', 'resets'] as const)('costs a request nothing that may be repeated: it %s', async (how) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']) {
      const rig = await stale(how);
      await text(await rig.fetch({ path: '/' }));
      await nextTurn();
      expect((await rig.fetch({ method, path: '/' })).head.status).toBe(200);
    }
  });

  it('costs other requests their answer', async () => {
    for (const [method, body] of [
      ['POST', ''],
      ['PUT', 'body'],
    ] as const) {
      const rig = await stale('resets');
      await text(await rig.fetch({ path: '/' }));
      // An answer may be with its Client before the connection that brought it is free.
      await nextTurn();
      expect((await rig.fetch({ method, path: '/' }, body === '' ? undefined : body)).head.status).toBe(502);
    }
  });

  it('is not worth a third try', async () => {
    const rig = await rawOrigin((socket, count) => {
      socket.once('data', () => {
        if (count > 1) return socket.resetAndDestroy();
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx');
        return socket.once('data', () => socket.resetAndDestroy());
      });
    });
    await text(await rig.fetch({ path: '/' }));
    expect((await rig.fetch({ path: '/' })).head.status).toBe(502);
  });
});

describe('an origin that is slow', () => {
  it('has its whole time for a head, and no more', async () => {
    const origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    const clock = new FakeClock();
    const rig = new Rig({ origin: origin.url, clock, responseTimeoutMs: 1000 });
    const request = rig.open({ path: '/slow' });
    request.body.end();
    const held = await origin.nextHeld();
    clock.advance(999);
    expect(rig.failures.size).toBe(0);
    clock.advance(1);
    const answer = await request.answer();
    expect(answer.head.status).toBe(504);
    expect(await json(answer)).toMatchObject({ error: 'origin_timeout' });
    await held.abandoned();
    expect(clock.pendingTimers).toBe(0);
  });

  it('has as long as it likes for a body', async () => {
    const origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    const clock = new FakeClock();
    const rig = new Rig({ origin: origin.url, clock, responseTimeoutMs: 1000 });
    const request = rig.open({ path: '/slow' });
    request.body.end();
    const held = await origin.nextHeld();
    held.begin();
    const answer = await request.answer();
    expect(clock.pendingTimers).toBe(0);
    held.end('late');
    expect(await text(answer)).toBe('late');
  });

  it('has its time anew with every piece of an upload', async () => {
    const origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    const clock = new FakeClock();
    const rig = new Rig({ origin: origin.url, clock, responseTimeoutMs: 1000 });
    const request = rig.open({ method: 'POST', path: '/slow' });
    request.body.send('0');
    const held = await origin.nextHeld();
    for (let count = 1; count < 5; count += 1) {
      clock.advance(900);
      const taken = request.body.takenBytes;
      request.body.send('x');
      while (request.body.takenBytes === taken) await new Promise(setImmediate);
      await new Promise(setImmediate);
    }
    request.body.end();
    held.answer(200, 'all there');
    expect(await text(await request.answer())).toBe('all there');
  });
});

describe('a Client that gives up', () => {
  it('before, during and after the head: the origin hears of it each time', async () => {
    const origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    const rig = new Rig({ origin: origin.url });
    for (const method of ['GET', 'POST']) {
      const early = rig.open({ method, path: '/slow' });
      early.body.send('some');
      const held = await origin.nextHeld();
      early.giveUp();
      await held.abandoned();

      const late = rig.open({ method, path: '/slow' });
      late.body.end();
      const begun = await origin.nextHeld();
      begun.begin();
      await begun.write('some');
      await (await late.answer()).body.take();
      late.giveUp();
      await begun.abandoned();
    }
    expect(rig.failures.size).toBe(0);
  });

  it('in the middle of an upload: the origin does not take it for whole', async () => {
    const ends: string[] = [];
    const server = createHttpServer((request) => {
      request.on('end', () => ends.push('whole'));
      request.on('error', () => ends.push('broken'));
      request.once('data', () => ends.push('begun'));
      request.resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const rig = new Rig({ origin: `http://127.0.0.1:${(server.address() as { port: number }).port}` });
    const closed = new Promise((resolve) =>
      server.once('connection', (socket) => socket.once('close', resolve)),
    );
    const request = rig.open({ method: 'POST', path: '/' });
    request.body.send('some');
    while (ends.length === 0) await new Promise(setImmediate);
    request.giveUp();
    await closed;
    expect(ends).toEqual(['begun', 'broken']);
  });

  it('before anything reached the origin', async () => {
    const origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    const decided = Promise.withResolvers<{ isAllowed: true }>();
    const rig = new Rig({ origin: origin.url, policy: { admit: () => decided.promise } });
    const request = rig.open({ path: '/echo' });
    request.body.end();
    request.giveUp();
    decided.resolve({ isAllowed: true });
    await new Promise(setImmediate);
    expect((await rig.fetch({ path: '/echo' })).head.status).toBe(200);
    expect(origin.requestsTotal).toBe(1);
  });
});

describe('more requests than an origin may have at a time', () => {
  it('wait for their turn, and leave the line when nobody wants them any more', async () => {
    const origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    const rig = new Rig({ origin: origin.url, maxOriginRequests: 2 });
    const [first, second, third, fourth] = [1, 2, 3, 4].map((number) => {
      const request = rig.open({ path: `/slow/${number}` });
      request.body.end();
      return request;
    });
    const held = await origin.nextHeld();
    await origin.nextHeld();
    third?.giveUp();
    expect(origin.requestsTotal).toBe(2);
    held.answer(200, 'done');
    const last = await origin.nextHeld();
    expect(last.record.path).toBe('/slow/4');
    second?.giveUp();
    last.answer(200, 'done');
    expect((await first?.answer())?.head.status).toBe(200);
    expect((await fourth?.answer())?.head.status).toBe(200);
  });
});
