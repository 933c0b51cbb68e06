import { createHash } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import {
  encodeFrame,
  FakeClock,
  freePort,
  opcodes,
  patternPiece,
  startTestOrigin,
  type TestOrigin,
} from '@openchambery/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Rig } from '../rig.ts';

describe('a WebSocket to an origin', () => {
  let origin: TestOrigin;
  let rig: Rig;

  beforeEach(async () => {
    origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    rig = new Rig({ origin: origin.url });
  });

  /** Both ends of an open WebSocket. */
  async function open(options: { readonly windowBytes?: number } = {}) {
    const client = rig.openSocket({ path: '/ws', ...options });
    const [server] = await Promise.all([origin.nextSocket(), client.opened()]);
    return { client, server };
  }

  it('is not dialled when the Client has given it up while the policy thought about it', async () => {
    const verdict = Promise.withResolvers<{ readonly isAllowed: true }>();
    const asking = new Rig({ origin: origin.url, policy: { admit: async () => verdict.promise } });
    asking.openSocket({ path: '/ws/unwanted' }).closeFromClient(1006);
    const wanted = asking.openSocket({ path: '/ws/wanted' });
    verdict.resolve({ isAllowed: true });
    await wanted.opened();
    expect((await origin.nextSocket()).record.url).toBe('/ws/wanted');
  });

  it('is dialled as the Client wants it, with an Origin of its own', async () => {
    const socket = rig.openSocket({
      path: '/ws/a%20b',
      query: 'x=%23&y',
      protocols: ['no-chance', 'chat.v2', 'chat.v1'],
      headers: {
        origin: 'https://page.example',
        cookie: ['a=1', 'b=2'],
        connection: 'x-hop',
        'x-hop': '1',
        upgrade: 'other',
        host: 'example.com',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        'sec-websocket-extensions': 'permessage-deflate',
        'sec-websocket-protocol': 'own',
        'x-kept': 'y',
      },
    });
    expect(await socket.opened()).toEqual({ protocol: 'chat.v2' });
    const { record } = await origin.nextSocket();
    expect(record.url).toBe('/ws/a%20b?x=%23&y');
    const { 'sec-websocket-key': key, ...headers } = record.headers;
    expect(key).not.toBe('AAAAAAAAAAAAAAAAAAAAAA==');
    expect(headers).toEqual({
      host: new URL(origin.url).host,
      origin: origin.url,
      connection: 'Upgrade',
      upgrade: 'websocket',
      cookie: 'a=1; b=2',
      'sec-websocket-version': '13',
      'sec-websocket-protocol': 'no-chance,chat.v2,chat.v1',
      'x-kept': 'y',
      'x-openchamber-relay-connection': 'conn-1',
    });
  });

  it('carries messages of both kinds both ways, and what came early first', async () => {
    const socket = rig.openSocket({ path: '/ws/echo' });
    socket.sendFromClient('early');
    expect(await socket.opened()).toEqual({});
    socket.sendFromClient('text ü');
    socket.sendFromClient('');
    socket.sendFromClient(Buffer.from([0, 255]));
    expect(await socket.messages.take()).toBe('early');
    expect(await socket.messages.take()).toBe('text ü');
    expect(await socket.messages.take()).toBe('');
    expect(await socket.messages.take()).toEqual(Buffer.from([0, 255]));
  });

  it('echoes messages of 5 MiB, and one of 16 MiB', async () => {
    const socket = rig.openSocket({ path: '/ws/echo', protocols: ['big'] });
    expect(await socket.opened()).toEqual({ protocol: 'big' });
    const binary = Buffer.concat(Array.from({ length: 5 }, () => patternPiece(7, 1024 * 1024 - 10)));
    const text = 'ü'.repeat(2.5 * 1024 * 1024);
    socket.sendFromClient(binary);
    socket.sendFromClient(text);
    expect(binary.equals((await socket.messages.take()) as Buffer)).toBe(true);
    expect((await socket.messages.take()) === text).toBe(true);
    const largest = Buffer.alloc(16 * 1024 * 1024, 1);
    socket.sendFromClient(largest);
    expect(largest.equals((await socket.messages.take()) as Buffer)).toBe(true);
  });

  it('closes with 1009 when the origin sends more than the tunnel takes', async () => {
    const { client, server } = await open();
    server.send(Buffer.alloc(16 * 1024 * 1024 + 1));
    expect(await client.closed()).toMatchObject({ code: 1009 });
    await server.closed();
  });

  it('stops reading the origin while the Client takes nothing', async () => {
    const { client, server } = await open({ windowBytes: 300_000 });
    client.hold();
    const count = 400;
    for (let number = 0; number < count; number += 1) server.send(Buffer.alloc(100_000, number));
    for (let turn = 0; turn < 500; turn += 1) await new Promise(setImmediate);
    // What came with the same read as the message that was one too many.
    expect(client.peakBytes).toBeLessThan(600_000);
    expect(server.socket.bufferedAmount).toBeGreaterThan(10_000_000);
    client.release();
    for (let number = 0; number < count; number += 1) {
      expect((await client.messages.take())[0]).toBe(number % 256);
    }
  });

  it('stops reading the tunnel while the origin takes nothing', async () => {
    const { client, server } = await open();
    server.socket.pause();
    let sent = 0;
    while (!client.isPaused) {
      client.sendFromClient(Buffer.alloc(100_000, sent));
      sent += 1;
      expect(sent).toBeLessThan(1000);
      if (sent % 10 === 0) await new Promise(setImmediate);
    }
    server.socket.resume();
    for (let number = 0; number < sent; number += 1) {
      expect((await server.messages.take()).data[0]).toBe(number % 256);
    }
    while (client.isPaused) await new Promise(setImmediate);
    client.sendFromClient('after');
    expect(String((await server.messages.take()).data)).toBe('after');
  });

  it.each([
    [1000, 'done', 1000, 'done'],
    [4001, 'own', 4001, 'own'],
    [1012, 'restart', 1012, 'restart'],
    [undefined, undefined, 1000, ''],
  ])('tells the Client how the origin closed: %s %s', async (code, reason, seenCode, seenReason) => {
    const { client, server } = await open();
    server.send('last words');
    server.close(code, reason);
    expect(await client.closed()).toEqual({ code: seenCode, reason: seenReason });
    expect(await client.messages.take()).toBe('last words');
    expect((await server.closed()).code).toBe(code ?? 1005);
  });

  it.each([
    [1000, 'done', 1000, 'done'],
    [4001, 'own', 4001, 'own'],
    [1012, 'the tunnel was closed', 1012, 'the tunnel was closed'],
    [1005, '', 1000, ''],
    [1006, 'gave up', 1006, ''],
    [2000, 'odd', 1011, 'odd'],
  ])('tells the origin how the Client closed: %i %s', async (code, reason, seenCode, seenReason) => {
    const { client, server } = await open();
    client.sendFromClient('last words');
    client.closeFromClient(code, reason);
    expect(await server.closed()).toEqual({ code: seenCode, reason: seenReason });
    if (code !== 1006) expect(String((await server.messages.take()).data)).toBe('last words');
  });

  it('is closed at the origin also while the origin was not read', async () => {
    const { client, server } = await open({ windowBytes: 1 });
    client.hold();
    for (let count = 0; count < 100; count += 1) server.send(Buffer.alloc(100_000));
    while (client.bufferedBytes === 0) await new Promise(setImmediate);
    client.closeFromClient(1000, 'enough');
    expect(await server.closed()).toEqual({ code: 1000, reason: 'enough' });
  });

  it('closes with 1011 when the origin is gone without a word', async () => {
    const { client, server } = await open();
    server.socket.terminate();
    expect(await client.closed()).toMatchObject({ code: 1011 });
  });

  it.each([
    ['/ws/refuse', 'HTTP 403'],
    ['/elsewhere', 'HTTP 404'],
  ])('at %s does not come about', async (path, status) => {
    const socket = rig.openSocket({ path });
    expect(await socket.aborted()).toBe(`origin refused the WebSocket: ${status}`);
    const error = `origin refused the WebSocket: ${status}`;
    expect(await rig.failures.take()).toEqual({ path, error });
  });

  it('has no subprotocol that nobody agreed on', async () => {
    expect(await rig.openSocket({ path: '/ws', protocols: ['no-1'] }).aborted()).toBe('bad_gateway');
    for (const protocols of [['a', 'a'], ['a b'], ['']]) {
      expect(await rig.openSocket({ path: '/ws', protocols }).aborted()).toBe('invalid_protocols');
    }
  });
});

describe('a WebSocket to an origin that does not answer', () => {
  /** Such an origin; `asked` and `closed` resolve with its first connection. */
  async function startMute() {
    const asked = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.on('data', () => asked.resolve());
      socket.on('error', () => 'the close follows');
      socket.on('close', () => closed.resolve());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    return { origin: `http://127.0.0.1:${port}`, asked: asked.promise, closed: closed.promise };
  }

  it('is given up with its Client', async () => {
    const { origin, asked, closed } = await startMute();
    const rig = new Rig({ origin });
    const socket = rig.openSocket({ path: '/' });
    await asked;
    socket.closeFromClient(1006);
    await closed;
    expect(rig.failures.size).toBe(0);
  });

  it('has its time, and no more', async () => {
    const { origin, asked, closed } = await startMute();
    const clock = new FakeClock();
    const rig = new Rig({ origin, clock, socketTimeoutMs: 1000 });
    const socket = rig.openSocket({ path: '/' });
    await asked;
    clock.advance(999);
    expect(rig.failures.size).toBe(0);
    clock.advance(1);
    expect(await socket.aborted()).toBe('origin_timeout');
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a WebSocket to a bad origin', () => {
  it('that does not listen', async () => {
    for (const name of ['127.0.0.1', 'localhost']) {
      const rig = new Rig({ origin: `http://${name}:${await freePort()}` });
      expect(await rig.openSocket({ path: '/x' }).aborted()).toBe('origin_unreachable');
      expect(await rig.failures.take()).toEqual({ path: '/x', error: 'origin_unreachable' });
    }
  });

  it.each([
    ['hangs up', ''],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['upgrades to something else', 'HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'],
    [
      'accepts another key',
      'HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n',
    ],
  ])('that %s', async (_what, bytes) => {
    const server = createServer((socket) => {
      socket.on('error', () => 'the test looks at the other end');
      socket.once('data', () => socket.end(bytes));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const rig = new Rig({ origin: `http://127.0.0.1:${(server.address() as { port: number }).port}` });
    expect(await rig.openSocket({ path: '/' }).aborted()).toBe('bad_gateway');
  });

  it.each([
    ['text that is not UTF-8', { opcode: opcodes.text, payload: Buffer.from([0x61, 0xff]) }, 1007],
    ['a frame of no known kind', { opcode: 3 }, 1002],
    ['reserved bits', { opcode: opcodes.text, rsv: 4, payload: 'x' }, 1002],
  ])('that sends %s', async (_what, frame, code) => {
    const server = createHttpServer();
    server.on('upgrade', (request, socket) => {
      // RFC 6455 section 1.3.
      const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash('sha1').update(key).digest('base64');
      socket.on('error', () => 'the test looks at the other end');
      socket.write(
        `HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.write(encodeFrame({ opcode: opcodes.text, payload: 'fine', masked: false }));
      socket.write(encodeFrame({ ...frame, masked: false }));
      socket.on('data', () => socket.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const rig = new Rig({ origin: `http://127.0.0.1:${(server.address() as { port: number }).port}` });
    const socket = rig.openSocket({ path: '/' });
    await socket.opened();
    expect(await socket.messages.take()).toBe('fine');
    expect(await socket.closed()).toMatchObject({ code, reason: expect.stringContaining('RFC 6455') });
  });
});
