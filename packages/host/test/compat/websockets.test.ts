import { patternPieces, PEER_FRAME } from '@openchambery/testkit';
import type { OriginSocket, TunnelTestClient } from '@openchambery/testkit';
import { describe, expect, test } from 'vitest';
import { expectAlive, makeWorld } from './world.ts';
import type { World } from './world.ts';

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

interface Opened extends World {
  readonly client: TunnelTestClient;
  readonly id: number;
  readonly socket: OriginSocket;
}

async function open(path = '/ws/mine', members: object = {}): Promise<Opened> {
  const world = await makeWorld();
  const client = await world.connect();
  const id = client.takeId();
  void client.sendFrame(PEER_FRAME.wsOpen, id, { path, query: '', ...members });
  const socket = await world.origin.nextSocket();
  expect((await client.nextFrame({ id })).type).toBe(PEER_FRAME.wsOpened);
  return { ...world, client, id, socket };
}

/** The next whole message of the stream, put together from its fragments. */
async function nextMessage(client: TunnelTestClient, id: number): Promise<{ type: number; data: Buffer }> {
  const pieces: Buffer[] = [];
  for (;;) {
    const { type, payload, hasMore } = await client.nextFrame({ id });
    pieces.push(payload);
    if (!hasMore) return { type, data: Buffer.concat(pieces) };
  }
}

function sendFragmented(client: TunnelTestClient, id: number, pieces: readonly Buffer[]): void {
  pieces.forEach((payload, index) => {
    void client.send({ type: PEER_FRAME.wsBinary, id, payload, hasMore: index < pieces.length - 1 });
  });
}

describe('opening', () => {
  test('dials the origin with path, query and subprotocols, and tells which was chosen', async () => {
    const { connect, origin } = await makeWorld();
    const client = await connect();
    const id = client.takeId();
    const protocols = ['no-thanks', 'chat.v2', 'chat.v1'];
    void client.sendFrame(PEER_FRAME.wsOpen, id, { path: '/ws/a%20b', query: 'x=1', protocols });
    expect(await client.nextJson({ id, type: PEER_FRAME.wsOpened })).toEqual({ protocol: 'chat.v2' });
    expect(origin.requests[0]).toMatchObject({
      kind: 'websocket',
      url: '/ws/a%20b?x=1',
      headers: { 'sec-websocket-protocol': expect.stringMatching(/^no-thanks, ?chat\.v2, ?chat\.v1$/) },
    });
  });

  test('without subprotocols has none', async () => {
    const { connect, origin } = await makeWorld();
    const client = await connect();
    const id = client.takeId();
    void client.sendFrame(PEER_FRAME.wsOpen, id, { path: '/ws/a', query: '' });
    expect(await client.nextJson({ id, type: PEER_FRAME.wsOpened })).not.toHaveProperty('protocol', '');
    expect(origin.requests[0]?.headers).not.toHaveProperty('sec-websocket-protocol');
  });

  test("presents the origin's own Origin, whatever the Client says", async () => {
    for (const headers of [undefined, { origin: 'https://evil.example', Origin: 'https://evil.example' }]) {
      const { origin } = await open('/ws/a', headers === undefined ? {} : { headers });
      expect(origin.requests[0]?.headers.origin).toBe(origin.url);
      expect(origin.requests[0]?.headers.host).toBe(new URL(origin.url).host);
    }
  });

  test('passes headers on but not those of a hop', async () => {
    const headers = {
      'x-kept': 'yes',
      cookie: 'a=1',
      'sec-websocket-key': 'x',
      connection: 'x-hop',
      'x-hop': '1',
    };
    const { origin } = await open('/ws/a', { headers });
    expect(origin.requests[0]?.headers).toMatchObject({ 'x-kept': 'yes', cookie: 'a=1' });
    expect(origin.requests[0]?.headers).not.toHaveProperty('x-hop');
  });

  test.each(['/ws/refuse', '/elsewhere'])('that the origin refuses (%s) is a StreamAbort', async (path) => {
    const { connect } = await makeWorld();
    const client = await connect();
    const id = client.takeId();
    void client.sendFrame(PEER_FRAME.wsOpen, id, { path, query: '' });
    expect(await client.nextJson({ id, type: PEER_FRAME.streamAbort })).toEqual({
      reason: expect.any(String),
    });
    await expectAlive(client);
  });
});

describe('messages', () => {
  test('pass both ways, text as text and binary as binary, empty ones too', async () => {
    const { client, id } = await open('/ws/echo');
    const messages = [
      [PEER_FRAME.wsText, Buffer.from('grüße')],
      [PEER_FRAME.wsBinary, Buffer.from([0, 255, 128])],
      [PEER_FRAME.wsText, Buffer.alloc(0)],
      [PEER_FRAME.wsBinary, Buffer.alloc(0)],
    ] as const;
    for (const [type, data] of messages) {
      void client.sendFrame(type, id, data);
      expect(await nextMessage(client, id)).toEqual({ type, data });
    }
  });

  test('in fragments are put together before the origin sees them', async () => {
    const { client, id, socket } = await open();
    void client.send({ type: PEER_FRAME.wsText, id, payload: 'on', hasMore: true });
    void client.send({ type: PEER_FRAME.wsText, id, payload: Buffer.alloc(0), hasMore: true });
    void client.send({ type: PEER_FRAME.wsText, id, payload: 'e' });
    void client.send({ type: PEER_FRAME.wsBinary, id, payload: 'two' });
    const [first, second] = [await socket.messages.take(), await socket.messages.take()];
    expect([first.data.toString(), first.isBinary]).toEqual(['one', false]);
    expect([second.data.toString(), second.isBinary]).toEqual(['two', true]);
  });

  test('of several streams may have their fragments mixed', async () => {
    const { client, id, socket, origin } = await open();
    const other = client.takeId();
    void client.sendFrame(PEER_FRAME.wsOpen, other, { path: '/ws/other', query: '' });
    const otherSocket = await origin.nextSocket();
    for (const [stream, payload, hasMore] of [
      [id, 'a', true],
      [other, 'x', true],
      [id, 'b', false],
      [other, 'y', false],
    ] as const) {
      void client.send({ type: PEER_FRAME.wsText, id: stream, payload, hasMore });
    }
    expect((await socket.messages.take()).data.toString()).toBe('ab');
    expect((await otherSocket.messages.take()).data.toString()).toBe('xy');
  });

  test('that are large come in fragments that fit', async () => {
    const { client, id, socket } = await open();
    const data = Buffer.concat([...patternPieces(1_000_000)]);
    socket.send(data);
    const got = await nextMessage(client, id);
    expect(got.type).toBe(PEER_FRAME.wsBinary);
    expect(got.data.equals(data)).toBe(true);
    socket.send('ü'.repeat(100_000));
    expect((await nextMessage(client, id)).data.toString()).toBe('ü'.repeat(100_000));
  });

  test('of 16 MiB pass to the origin and from it', async () => {
    const { client, id, socket } = await open();
    const pieces = [...patternPieces(MAX_MESSAGE_BYTES, 65_000)];
    sendFragmented(client, id, pieces);
    const { data } = await socket.messages.take();
    expect(data.equals(Buffer.concat(pieces))).toBe(true);
    socket.send(data);
    expect((await nextMessage(client, id)).data.equals(data)).toBe(true);
  });

  test('of one byte more end their stream, and only it', async () => {
    const { client, id, socket } = await open();
    sendFragmented(client, id, [...patternPieces(MAX_MESSAGE_BYTES + 1, 65_000)]);
    const { type } = await client.nextFrame({ id });
    expect([PEER_FRAME.streamAbort, PEER_FRAME.wsClose]).toContain(type);
    await socket.closed();
    expect(socket.messages.total).toBe(0);
    await expectAlive(client);
  });

  test('of one byte more from the origin are not passed on', async () => {
    const { client, id, socket } = await open();
    socket.send(Buffer.alloc(MAX_MESSAGE_BYTES + 1));
    let bytes = 0;
    for (;;) {
      const { type, payload } = await client.nextFrame({ id });
      if (type !== PEER_FRAME.wsBinary) {
        expect([PEER_FRAME.streamAbort, PEER_FRAME.wsClose]).toContain(type);
        break;
      }
      bytes += payload.length;
      expect(bytes).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
    }
    await expectAlive(client);
  });
});

describe('closing', () => {
  test.each([
    [1000, ''],
    [4321, 'because'],
  ])('by the Client with %i reaches the origin', async (code, reason) => {
    const { client, id, socket } = await open();
    void client.sendFrame(PEER_FRAME.wsClose, id, { code, reason });
    expect(await socket.closed()).toEqual({ code, reason });
    await expectAlive(client);
  });

  test.each([
    [1000, ''],
    [1001, 'going'],
    [4999, 'ende'],
  ])('by the origin with %i reaches the Client', async (code, reason) => {
    const { client, id, socket } = await open();
    socket.send('last');
    socket.close(code, reason);
    expect((await nextMessage(client, id)).data.toString()).toBe('last');
    expect(await client.nextJson({ id, type: PEER_FRAME.wsClose })).toEqual({ code, reason });
    await expectAlive(client);
  });

  test('of an origin that vanishes reaches the Client', async () => {
    const { client, id, socket } = await open();
    socket.socket.terminate();
    const { type } = await client.nextFrame({ id });
    expect([PEER_FRAME.streamAbort, PEER_FRAME.wsClose]).toContain(type);
    await expectAlive(client);
  });

  test('by StreamAbort closes the socket at the origin', async () => {
    const { client, id, socket } = await open();
    void client.sendFrame(PEER_FRAME.streamAbort, id, { reason: 'no more' });
    await socket.closed();
    await expectAlive(client);
  });

  test('of the channel closes with 1012', async () => {
    const { client, socket } = await open();
    client.peer.terminate();
    expect((await socket.closed()).code).toBe(1012);
  });
});
