import { describe, expect, it } from 'vitest';
import {
  FRAME_TYPE,
  MAX_MESSAGE_BYTES,
  MAX_PAYLOAD_BYTES,
  type TunnelLimits,
  type TunnelSocket,
} from '../../src/index.ts';
import type { ScriptedChannel } from './support/scripted-channel.ts';
import { settle } from './support/scripted-channel.ts';
import { openClient, openHost, recordSocket } from './support/tunnels.ts';

const { wsOpen, wsOpened, wsText, wsBinary, wsClose, streamAbort, streamEnd, httpBody } = FRAME_TYPE;
const OPEN = { path: '/ws', query: 'a=b', protocols: ['chat'] } as const;

async function openSocket(limits: Partial<TunnelLimits> = {}) {
  const client = openClient({ limits });
  const listener = recordSocket();
  const opening = client.tunnel.openSocket(OPEN, listener);
  client.channel.receive({ type: wsOpened, streamId: 1, payload: { protocol: 'chat' } });
  const { socket, head } = await opening.opened;
  await settle();
  client.channel.takeFrames();
  return { ...client, listener, opening, socket, head };
}

function text(payload: Uint8Array | undefined): string {
  return Buffer.from(payload ?? []).toString();
}

function fragments(channel: ScriptedChannel, byteLength: number): void {
  for (let left = byteLength; left > 0; left -= MAX_PAYLOAD_BYTES) {
    const payload = new Uint8Array(Math.min(left, MAX_PAYLOAD_BYTES));
    channel.receive({ type: wsBinary, streamId: 1, payload, hasMore: left > MAX_PAYLOAD_BYTES });
  }
}

describe('a WebSocket that a Client opens', () => {
  it('is asked for, opened, and heard', async () => {
    const { tunnel, channel } = openClient();
    const listener = recordSocket();
    const opening = tunnel.openSocket(OPEN, listener);
    await settle();
    const [frame] = channel.takeFrames();
    expect([frame?.type, frame?.streamId, JSON.parse(text(frame?.payload))]).toEqual([wsOpen, 1, OPEN]);
    channel.receive({ type: wsOpened, streamId: 1, payload: { protocol: 'chat' } });
    channel.receive(
      { type: wsText, streamId: 1, payload: 'hé' },
      { type: wsBinary, streamId: 1, payload: 'b' },
    );
    const { head } = await opening.opened;
    expect(head).toEqual({ protocol: 'chat' });
    await settle();
    expect(listener.messages).toEqual(['hé', Uint8Array.of(98)]);
  });

  it('tells nothing before whoever opened it has it', async () => {
    const { tunnel, channel } = openClient();
    const order: string[] = [];
    const opening = tunnel.openSocket(OPEN, {
      onMessage: () => order.push('message'),
      onDrain: () => undefined,
      onClose: () => order.push('close'),
    });
    const opened = opening.opened.then(() => order.push('opened'));
    channel.receive(
      { type: wsOpened, streamId: 1, payload: {} },
      { type: wsText, streamId: 1, payload: 'x' },
      { type: wsClose, streamId: 1, payload: { code: 1000, reason: '' } },
    );
    await opened;
    await settle();
    expect(order).toEqual(['opened', 'message', 'close']);
  });

  it.each([
    ['a StreamAbort', { type: streamAbort, payload: { reason: 'no' } }, 'ERR_TUNNEL_STREAM_ABORTED'],
    ['a WsClose', { type: wsClose, payload: { code: 1013, reason: 'no' } }, 'ERR_TUNNEL_STREAM_ABORTED'],
    ['a message', { type: wsText, payload: 'x' }, 'ERR_TUNNEL_PROTOCOL'],
    ['a malformed WsOpened', { type: wsOpened, payload: { protocol: 7 } }, 'ERR_TUNNEL_PROTOCOL'],
    ['a fragment of WsOpened', { type: wsOpened, payload: {}, hasMore: true }, 'ERR_TUNNEL_PROTOCOL'],
  ])('does not open for %s, and its listener hears of nothing', async (_, frame, code) => {
    const { tunnel, channel } = openClient();
    const listener = recordSocket();
    const opening = tunnel.openSocket(OPEN, listener);
    channel.receive({ ...frame, streamId: 1 });
    await expect(opening.opened).rejects.toMatchObject({ code });
    await settle();
    expect([listener.messages, listener.closes]).toEqual([[], []]);
    expect(tunnel.traffic.openStreams).toBe(0);
  });

  it('can be given up while it is being opened, and not after that', async () => {
    const { tunnel, channel } = openClient();
    const opening = tunnel.openSocket(OPEN, recordSocket());
    await settle();
    opening.abort('timeout');
    await expect(opening.opened).rejects.toMatchObject({
      code: 'ERR_TUNNEL_STREAM_CANCELLED',
      reason: 'timeout',
    });
    await settle();
    expect(channel.takeFrames().map(({ type }) => type)).toEqual([wsOpen, streamAbort]);

    const open = await openSocket();
    open.opening.abort('too late');
    await settle();
    expect(open.channel.takeFrames()).toEqual([]);
  });

  it('fails to open when the channel ends', async () => {
    const { tunnel, channel } = openClient();
    const opening = tunnel.openSocket(OPEN, recordSocket());
    channel.end({ code: 1006, reason: '', cause: 'peer' });
    await expect(opening.opened).rejects.toMatchObject({ code: 'ERR_TUNNEL_CLOSED' });
  });
});

describe('an open WebSocket', () => {
  it('closes with what this side says, after what waits', async () => {
    const { socket, channel, listener, tunnel } = await openSocket();
    socket.send('last');
    socket.close(4001, 'done');
    expect(listener.closes).toEqual([{ code: 4001, reason: 'done' }]);
    socket.close(4002, 'again');
    socket.abort('again');
    expect(socket.send('ignored')).toBe(true);
    channel.receive({ type: wsText, streamId: 1, payload: 'late' });
    channel.receive({ type: wsClose, streamId: 1, payload: { code: 1000, reason: '' } });
    channel.end({ code: 1006, reason: '', cause: 'peer' });
    await settle();
    expect(listener.closes.length).toBe(1);
    expect(listener.messages).toEqual([]);
    expect(tunnel.traffic.openStreams).toBe(0);
  });

  it('sends its close behind its messages', async () => {
    const { socket, channel } = await openSocket();
    socket.send('last');
    socket.close(4001, 'done');
    await settle();
    const frames = channel.takeFrames();
    expect(frames.map(({ type }) => type)).toEqual([wsText, wsClose]);
    expect(JSON.parse(text(frames[1]?.payload))).toEqual({ code: 4001, reason: 'done' });
  });

  it.each([999, 5000, 1000.5, Number.NaN])('cannot be closed with %d', async (code) => {
    const { socket, listener } = await openSocket();
    expect(() => socket.close(code, '')).toThrow(RangeError);
    socket.close(1000, '');
    expect(listener.closes.length).toBe(1);
  });

  it.each([
    [
      'the peer closes it',
      { type: wsClose, payload: { code: 3000, reason: 'bye' } },
      { code: 3000, reason: 'bye' },
    ],
    ['the peer aborts it', { type: streamAbort, payload: { reason: 'oh' } }, { code: 1006, reason: 'oh' }],
    ['its end comes', { type: streamEnd }, { code: 1006 }],
    ['a body comes', { type: httpBody, payload: 'x' }, { code: 1006 }],
    ['it is opened again', { type: wsOpened, payload: {} }, { code: 1006, reason: 'second WsOpened' }],
    [
      'a close without a code comes',
      { type: wsClose, payload: {} },
      { code: 1006, reason: 'malformed WsClose' },
    ],
  ])('hears of its close once when %s', async (_, frame, close) => {
    const { channel, listener, socket, tunnel } = await openSocket();
    channel.receive({ ...frame, streamId: 1 }, { ...frame, streamId: 1 });
    expect(listener.closes).toMatchObject([close]);
    socket.close(1000, '');
    expect(listener.closes.length).toBe(1);
    expect(tunnel.traffic.openStreams).toBe(0);
  });

  it('closes with 1012 when the channel ends, and 1006 when this side aborts it', async () => {
    const first = await openSocket();
    first.channel.end({ code: 1006, reason: '', cause: 'peer' });
    expect(first.listener.closes).toEqual([{ code: 1012, reason: 'code 1006' }]);
    const second = await openSocket();
    second.socket.abort('enough');
    expect(second.listener.closes).toEqual([{ code: 1006, reason: 'enough' }]);
    await settle();
    expect(second.channel.takeFrames().map(({ type }) => type)).toEqual([streamAbort]);
  });

  it('delivers nothing while paused, then everything in order, then the close', async () => {
    const { socket, channel, listener } = await openSocket();
    socket.pause();
    for (const payload of ['a', 'b', 'c']) channel.receive({ type: wsText, streamId: 1, payload });
    channel.receive({ type: wsClose, streamId: 1, payload: { code: 1000, reason: '' } });
    expect([listener.messages, listener.closes]).toEqual([[], []]);
    socket.resume();
    expect([listener.messages, listener.closes]).toEqual([['a', 'b', 'c'], [{ code: 1000, reason: '' }]]);
  });

  it('can be paused and closed by its listener in the midst of delivery', async () => {
    const { tunnel, channel } = openClient();
    const heard: unknown[] = [];
    let socket: TunnelSocket | undefined;
    const opening = tunnel.openSocket(OPEN, {
      onMessage: (message) => {
        heard.push(message);
        if (message === 'b') socket?.pause();
        if (message === 'c') socket?.close(4000, 'enough');
      },
      onDrain: () => undefined,
      onClose: ({ code }) => heard.push(code),
    });
    channel.receive({ type: wsOpened, streamId: 1, payload: {} });
    ({ socket } = await opening.opened);
    await settle();
    socket.pause();
    for (const payload of ['a', 'b', 'c', 'd']) channel.receive({ type: wsText, streamId: 1, payload });
    socket.resume();
    expect(heard).toEqual(['a', 'b']);
    socket.resume();
    expect(heard).toEqual(['a', 'b', 'c', 4000]);
  });

  it('sends messages of 16 MiB in fragments, and none that are longer', async () => {
    const { socket, channel } = await openSocket();
    expect(() => socket.send(new Uint8Array(MAX_MESSAGE_BYTES + 1))).toThrow(RangeError);
    expect(() => socket.send('é'.repeat(MAX_MESSAGE_BYTES / 2 + 1))).toThrow(RangeError);
    expect(socket.bufferedBytes).toBe(0);
    expect(socket.send(new Uint8Array(MAX_MESSAGE_BYTES))).toBe(false);
    expect(socket.bufferedBytes).toBe(MAX_MESSAGE_BYTES);
    await settle();
    const frames = channel.takeFrames();
    expect(frames.length).toBe(Math.ceil(MAX_MESSAGE_BYTES / MAX_PAYLOAD_BYTES));
    expect(frames.filter(({ hasMore }) => !hasMore)).toEqual([frames.at(-1)]);
  });

  it('takes messages of 16 MiB, and aborts for one byte more', async () => {
    const { channel, listener } = await openSocket();
    fragments(channel, MAX_MESSAGE_BYTES);
    expect(listener.messages.map(({ length }) => length)).toEqual([MAX_MESSAGE_BYTES]);
    fragments(channel, MAX_MESSAGE_BYTES + 1);
    expect(listener.closes).toEqual([{ code: 1006, reason: 'message too big' }]);
  });

  it('is aborted when too much of messages is not whole', async () => {
    const { channel, listener, tunnel } = await openSocket({ maxPartialMessageBytes: 10 });
    const fragment = { type: wsText, payload: '12345', hasMore: true, streamId: 1 };
    channel.receive(fragment, fragment);
    expect(listener.closes).toEqual([]);
    channel.receive({ ...fragment, payload: '6' });
    expect(listener.closes.length).toBe(1);
    // What it held is free for another one.
    const opening = tunnel.openSocket(OPEN, recordSocket());
    channel.receive({ type: wsOpened, streamId: 3, payload: {} });
    await opening.opened;
    channel.receive({ ...fragment, streamId: 3, payload: '1234567890' });
    expect(tunnel.traffic.openStreams).toBe(1);
  });

  it('leaves room for the messages of others once its own is whole', async () => {
    const { channel, listener, tunnel } = await openSocket({ maxPartialMessageBytes: 10 });
    tunnel.openSocket(OPEN, recordSocket());
    channel.receive({ type: wsOpened, streamId: 3, payload: {} });
    channel.receive({ type: wsText, streamId: 1, payload: '1234567890', hasMore: true });
    channel.receive({ type: wsText, streamId: 1, payload: 'x' });
    channel.receive({ type: wsText, streamId: 3, payload: '1234567890', hasMore: true });
    expect(listener.messages).toEqual(['1234567890x']);
    expect(tunnel.traffic.openStreams).toBe(2);
  });

  it('forgets what it has not sent when the peer closes', async () => {
    const { socket, channel } = await openSocket();
    channel.pendingBytes = 10_000_000;
    socket.send('unheard');
    channel.receive({ type: wsClose, streamId: 1, payload: { code: 1000, reason: '' } });
    channel.drain();
    await settle();
    expect(channel.takeFrames()).toEqual([]);
    expect(socket.bufferedBytes).toBe(0);
  });

  it('is told when it may send on, exactly when it was told to wait', async () => {
    const { socket, channel, listener } = await openSocket({ streamHighWaterBytes: 1_000 });
    channel.pendingBytes = 10_000_000;
    expect(socket.send(new Uint8Array(1_000 - 64 - 1))).toBe(true);
    expect(socket.send(new Uint8Array(0))).toBe(false);
    await settle();
    expect(listener.drains).toBe(0);
    channel.drain();
    await settle();
    expect(listener.drains).toBe(1);
    channel.drain();
    expect(listener.drains).toBe(1);
  });

  it('is aborted, and the bug reported, when its listener throws', async () => {
    const { tunnel, channel, bugs } = openClient();
    const closes: unknown[] = [];
    tunnel.openSocket(OPEN, {
      onMessage: () => {
        throw new Error('a bug');
      },
      onDrain: () => undefined,
      onClose: (close) => closes.push(close),
    });
    channel.receive({ type: wsOpened, streamId: 1, payload: {} });
    await settle();
    channel.receive({ type: wsText, streamId: 1, payload: 'x' });
    expect(bugs).toMatchObject([{ message: 'a bug' }]);
    expect(closes).toEqual([{ code: 1006, reason: 'internal error' }]);
    expect(tunnel.traffic.openStreams).toBe(0);
  });
});

describe('a WebSocket at the Host', () => {
  it('is accepted, and hears first what came early', async () => {
    const { channel, sockets } = openHost();
    channel.receive(
      { type: wsOpen, streamId: 1, payload: OPEN },
      { type: wsText, streamId: 1, payload: 'early' },
    );
    const [stream] = sockets;
    expect(stream?.request).toEqual(OPEN);
    const listener = recordSocket();
    const socket = stream?.accept({ protocol: 'chat' }, listener);
    expect(listener.messages).toEqual([]);
    await settle();
    channel.receive({ type: wsText, streamId: 1, payload: 'then' });
    expect(listener.messages).toEqual(['early', 'then']);
    socket?.send('answer');
    await settle();
    expect(channel.takeFrames().map(({ type, payload }) => [type, text(payload)])).toEqual([
      [wsOpened, '{"protocol":"chat"}'],
      [wsText, 'answer'],
    ]);
    expect(() => stream?.accept({}, listener)).toThrow('once');
  });

  it('is refused with a StreamAbort', async () => {
    const { channel, sockets } = openHost();
    channel.receive({ type: wsOpen, streamId: 1, payload: OPEN });
    sockets[0]?.abort('forbidden');
    expect(sockets[0]?.signal.aborted).toBe(true);
    await settle();
    expect(channel.takeFrames().map(({ type, payload }) => [type, text(payload)])).toEqual([
      [streamAbort, '{"reason":"forbidden"}'],
    ]);
  });

  it.each([
    ['abort', { type: streamAbort, payload: { reason: 'no' } }],
    ['close', { type: wsClose, payload: { code: 1001, reason: 'no' } }],
  ])('knows by its signal of a Client that does not want it any more: %s', async (_, frame) => {
    const { channel, sockets } = openHost();
    channel.receive({ type: wsOpen, streamId: 1, payload: OPEN });
    channel.receive({ ...frame, streamId: 1 });
    expect(sockets[0]?.signal.reason).toMatchObject({ code: 'ERR_TUNNEL_STREAM_ABORTED' });
    const listener = recordSocket();
    const socket = sockets[0]?.accept({}, listener);
    expect(socket?.send('x')).toBe(true);
    expect(listener.closes).toEqual([]);
    await settle();
    expect(listener.closes).toMatchObject([{ code: 1006 }]);
    expect(channel.takeFrames()).toEqual([]);
  });

  it('cannot be accepted with a protocol that does not fit', () => {
    const { channel, sockets } = openHost();
    channel.receive({ type: wsOpen, streamId: 1, payload: OPEN });
    expect(() => sockets[0]?.accept({ protocol: 'x'.repeat(65_526) }, recordSocket())).toThrow(RangeError);
  });
});
