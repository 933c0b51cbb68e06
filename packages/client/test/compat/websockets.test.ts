import { once } from 'node:events';
import type { TunnelHostChannel } from '@openchambery/testkit';
import { PEER_FRAME, patternPieces } from '@openchambery/testkit';
import { describe, expect, test } from 'vitest';
import type { TunnelWebSocket } from '../../src/index.ts';
import type { World } from './world.ts';
import { expectAlive, makeWorld, standingClock } from './world.ts';

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const WINDOW_MS = 150;

interface Opened extends World {
  readonly channel: TunnelHostChannel;
  readonly socket: TunnelWebSocket;
  readonly id: number;
}

async function open(options: Parameters<typeof makeWorld>[0] = {}, batch = true): Promise<Opened> {
  const world = await makeWorld(options);
  const channel = await world.open({ batch });
  const socket = new world.client.WebSocket('/ws/x');
  socket.binaryType = 'arraybuffer';
  const { id } = await channel.nextFrame({ type: PEER_FRAME.wsOpen });
  void channel.sendFrame(PEER_FRAME.wsOpened, id, {});
  await once(socket, 'open');
  return { ...world, channel, socket, id };
}

async function nextData(socket: TunnelWebSocket): Promise<unknown> {
  const [event] = (await once(socket, 'message')) as [MessageEvent];
  return event.data;
}

async function nextClose(
  socket: TunnelWebSocket,
): Promise<{ code: number; reason: string; wasClean: boolean }> {
  const [{ code, reason, wasClean }] = (await once(socket, 'close')) as [CloseEvent];
  return { code, reason, wasClean };
}

async function nextMessage(channel: TunnelHostChannel, id: number): Promise<{ type: number; data: Buffer }> {
  const pieces: Buffer[] = [];
  for (;;) {
    const { type, payload, hasMore } = await channel.nextFrame({ id });
    pieces.push(payload);
    if (!hasMore) return { type, data: Buffer.concat(pieces) };
  }
}

function sendFragmented(channel: TunnelHostChannel, id: number, pieces: readonly Buffer[]): void {
  pieces.forEach((payload, index) => {
    void channel.send({ type: PEER_FRAME.wsBinary, id, payload, hasMore: index < pieces.length - 1 });
  });
}

describe('opening', () => {
  test('says path, query and subprotocols, and learns which was chosen', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    const socket = new client.WebSocket('/ws/a%20b?x=1', ['chat.v2', 'chat.v1']);
    const frame = await channel.nextFrame();
    expect([frame.type, frame.id]).toEqual([PEER_FRAME.wsOpen, 1]);
    expect(JSON.parse(frame.payload.toString())).toMatchObject({
      path: '/ws/a%20b',
      query: 'x=1',
      protocols: ['chat.v2', 'chat.v1'],
    });
    void channel.sendFrame(PEER_FRAME.wsOpened, 1, { protocol: 'chat.v1', future: true });
    await once(socket, 'open');
    expect(socket.protocol).toBe('chat.v1');
  });

  test('that is aborted is an error and a close', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    const socket = new client.WebSocket('/ws/x');
    const failed = once(socket, 'error');
    const closed = nextClose(socket);
    void channel.sendFrame(PEER_FRAME.streamAbort, 1, { reason: 'refused' });
    await failed;
    expect(await closed).toMatchObject({ code: 1006, wasClean: false });
    await expectAlive(client, channel);
  });
});

describe('messages', () => {
  test('go as text and binary, empty ones too', async () => {
    const { channel, socket, id } = await open();
    for (const [message, type] of [
      ['grüße', PEER_FRAME.wsText],
      [Buffer.from([0, 255]), PEER_FRAME.wsBinary],
      ['', PEER_FRAME.wsText],
      [Buffer.alloc(0), PEER_FRAME.wsBinary],
    ] as const) {
      socket.send(message);
      expect(await nextMessage(channel, id)).toEqual({ type, data: Buffer.from(message) });
    }
  });

  test('come as text and binary, alone and in fragments', async () => {
    const { channel, socket, id } = await open();
    void channel.sendFrame(PEER_FRAME.wsText, id, 'grüße');
    expect(await nextData(socket)).toBe('grüße');
    const umlaut = Buffer.from('ü');
    void channel.send({ type: PEER_FRAME.wsText, id, payload: umlaut.subarray(0, 1), hasMore: true });
    void channel.send({ type: PEER_FRAME.wsText, id, payload: Buffer.alloc(0), hasMore: true });
    void channel.send({ type: PEER_FRAME.wsText, id, payload: umlaut.subarray(1) });
    expect(await nextData(socket)).toBe('ü');
    void channel.sendBatch([
      { type: PEER_FRAME.wsBinary, id, payload: 'a', hasMore: true },
      { type: PEER_FRAME.wsBinary, id, payload: 'b' },
    ]);
    expect(Buffer.from((await nextData(socket)) as ArrayBuffer).toString()).toBe('ab');
  });

  test('of 16 MiB pass both ways', async () => {
    const { channel, socket, id } = await open();
    const pieces = [...patternPieces(MAX_MESSAGE_BYTES, 65_000)];
    const whole = Buffer.concat(pieces);
    sendFragmented(channel, id, pieces);
    expect(Buffer.from((await nextData(socket)) as ArrayBuffer).equals(whole)).toBe(true);
    socket.send(whole);
    expect((await nextMessage(channel, id)).data.equals(whole)).toBe(true);
  });

  test('of one byte more end their stream, and only it', async () => {
    const { channel, socket, id, client } = await open();
    let messages = 0;
    socket.addEventListener('message', () => (messages += 1));
    const closed = once(socket, 'close');
    sendFragmented(channel, id, [...patternPieces(MAX_MESSAGE_BYTES + 1, 65_000)]);
    const { type } = await channel.nextFrame({ id });
    expect([PEER_FRAME.streamAbort, PEER_FRAME.wsClose]).toContain(type);
    await closed;
    expect(messages).toBe(0);
    await expectAlive(client, channel);
  });

  test('of one byte more are not sent', async () => {
    const { channel, socket, id, client } = await open();
    const closed = once(socket, 'close').then(() => 'closed');
    const sending = (): string => {
      try {
        socket.send(Buffer.alloc(MAX_MESSAGE_BYTES + 1));
        return 'taken';
      } catch {
        return 'refused';
      }
    };
    expect([sending(), await Promise.race([closed, expectAlive(client, channel)])]).not.toEqual([
      'taken',
      undefined,
    ]);
    void channel.sendFrame(PEER_FRAME.streamAbort, id, { reason: 'done' });
    await expectAlive(client, channel);
    let bytes = 0;
    while (channel.frames.size > 0) bytes += (await channel.nextFrame()).payload.length;
    expect(bytes).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
  });
});

describe('closing', () => {
  test.each([
    [1000, ''],
    [4321, 'because'],
  ])('by the page with %i reaches the Host', async (code, reason) => {
    const { channel, socket, id } = await open();
    const closed = nextClose(socket);
    socket.close(code, reason);
    expect(await channel.nextJson({ id, type: PEER_FRAME.wsClose })).toEqual({ code, reason });
    void channel.sendFrame(PEER_FRAME.wsClose, id, { code, reason });
    expect(await closed).toEqual({ code, reason, wasClean: true });
  });

  test.each([
    [1000, ''],
    [1001, 'going'],
    [4999, 'ende'],
  ])('by the Host with %i reaches the page, after what was sent before', async (code, reason) => {
    const { channel, socket, id } = await open();
    const [last, closed] = [nextData(socket), nextClose(socket)];
    void channel.sendFrame(PEER_FRAME.wsText, id, 'last');
    void channel.sendFrame(PEER_FRAME.wsClose, id, { code, reason });
    expect(await last).toBe('last');
    expect(await closed).toEqual({ code, reason, wasClean: true });
  });

  test('of the channel closes with 1012', async () => {
    const { channel, socket } = await open();
    const closed = nextClose(socket);
    channel.peer.terminate();
    expect((await closed).code).toBe(1012);
  });
});

describe('batching', () => {
  test('the first message after a quiet window goes at once, later ones within 150 ms, in order', async () => {
    const clock = standingClock();
    const { channel, socket, id } = await open({ clock });
    clock.advance(WINDOW_MS);
    socket.send('first');
    expect((await channel.nextFrame({ id })).payload.toString()).toBe('first');
    for (const text of ['second', 'third']) socket.send(text);
    clock.advance(WINDOW_MS);
    for (const text of ['second', 'third']) {
      expect((await channel.nextFrame({ id })).payload.toString()).toBe(text);
    }
  });

  test('32 frames, or 24 KiB, do not wait for more', async () => {
    const { channel, socket, id } = await open({ clock: standingClock() });
    for (let index = 0; index <= 32; index += 1) socket.send(String(index));
    for (let index = 0; index <= 32; index += 1) await channel.nextFrame({ id });
    for (const bytes of [1, 12 * 1024, 12 * 1024]) socket.send(Buffer.alloc(bytes));
    for (const bytes of [1, 12 * 1024, 12 * 1024]) {
      expect((await channel.nextFrame({ id })).payload).toHaveLength(bytes);
    }
  });

  test('a close goes at once, after what is buffered', async () => {
    const { channel, socket, id } = await open({ clock: standingClock() });
    for (const text of ['one', 'two']) socket.send(text);
    socket.close(4000, 'done');
    const frames = [
      await channel.nextFrame({ id }),
      await channel.nextFrame({ id }),
      await channel.nextFrame({ id }),
    ];
    expect(frames.map(({ type }) => type)).toEqual([
      PEER_FRAME.wsText,
      PEER_FRAME.wsText,
      PEER_FRAME.wsClose,
    ]);
  });

  test('without an agreement each message is one frame', async () => {
    const { channel, socket, id } = await open({}, false);
    for (let index = 0; index < 5; index += 1) socket.send(String(index));
    const counters = new Set<bigint>();
    for (let index = 0; index < 5; index += 1) {
      const { payload, counter } = await channel.nextFrame({ id });
      expect(payload.toString()).toBe(String(index));
      counters.add(counter);
    }
    expect(counters.size).toBe(5);
  });
});
