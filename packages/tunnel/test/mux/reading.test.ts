import { describe, expect, it } from 'vitest';
import { defaultTunnelLimits, FRAME_TYPE, type TunnelLimits } from '../../src/index.ts';
import { PIECE_COST_BYTES } from '../../src/mux/tunnel-limits.ts';
import { settle } from './support/scripted-channel.ts';
import { GET, OK, openClient, recordSocket } from './support/tunnels.ts';

const { httpBody, httpResponse, streamEnd, streamAbort, wsOpened, wsBinary, wsText } = FRAME_TYPE;
const LIMITS = { unreadHighWaterBytes: 1_000 } as const;
const { readerStallMs: STALL_MS, readerHoldMs: HOLD_MS } = defaultTunnelLimits;

/** A Client with answers under way on so many streams. */
function openAnswers(count: number, limits: Partial<TunnelLimits> = LIMITS) {
  const client = openClient({ limits });
  const streams = Array.from({ length: count }, () => client.tunnel.request(GET));
  for (const { id } of streams) client.channel.receive({ type: httpResponse, streamId: id, payload: OK });
  const body = (streamId: number, cost: number): void =>
    client.channel.receive({ type: httpBody, streamId, payload: new Uint8Array(cost - PIECE_COST_BYTES) });
  return { ...client, streams, body };
}

describe('an answer that nobody reads', () => {
  it('stops the reading one byte above the limit, until half of it is left', async () => {
    const { channel, streams, body } = openAnswers(1);
    body(1, 400);
    body(1, 100);
    body(1, 500);
    expect(channel.isReading).toBe(true);
    body(1, 65);
    expect(channel.isReading).toBe(false);
    await streams[0]?.body.read();
    expect(channel.isReading).toBe(false);
    await streams[0]?.body.read();
    expect(channel.isReading).toBe(false);
    await streams[0]?.body.read();
    expect(channel.isReading).toBe(true);
  });

  it('resumes at exactly half', async () => {
    const { channel, streams, body } = openAnswers(1);
    body(1, 501);
    body(1, 500);
    expect(channel.isReading).toBe(false);
    await streams[0]?.body.read();
    expect(channel.isReading).toBe(true);
  });

  it('is not counted while a reader waits', async () => {
    const { channel, streams, body } = openAnswers(1);
    const read = streams[0]?.body.read();
    body(1, 5_000);
    expect((await read)?.length).toBe(5_000 - PIECE_COST_BYTES);
    expect(channel.isReading).toBe(true);
  });

  it('does not resume for another that still holds', async () => {
    const { channel, streams, body } = openAnswers(2);
    body(1, 1_001);
    body(3, 1_001);
    await streams[0]?.body.read();
    expect(channel.isReading).toBe(false);
    await streams[1]?.body.read();
    expect(channel.isReading).toBe(true);
  });

  it('many tiny chunks count for what they cost', () => {
    const { channel, body } = openAnswers(1);
    for (let count = 0; count < 15; count += 1) body(1, PIECE_COST_BYTES + 1);
    expect(channel.isReading).toBe(true);
    body(1, PIECE_COST_BYTES + 1);
    expect(channel.isReading).toBe(false);
  });

  it('loses its stream after 30 s in which nothing was taken, and not 1 ms earlier', async () => {
    const { channel, clock, streams, body } = openAnswers(2);
    body(1, 1_001);
    clock.advance(STALL_MS - 1);
    expect(channel.isReading).toBe(false);
    clock.advance(1);
    expect(channel.isReading).toBe(true);
    expect(streams[0]?.signal.reason).toMatchObject({ code: 'ERR_TUNNEL_READER_STALLED' });
    await expect(streams[0]?.body.read()).rejects.toMatchObject({ code: 'ERR_TUNNEL_READER_STALLED' });
    expect(streams[1]?.signal.aborted).toBe(false);
    await settle();
    expect(
      channel
        .takeFrames()
        .filter(({ type }) => type === streamAbort)
        .map(({ streamId }) => streamId),
    ).toEqual([1]);
  });

  it('keeps its stream while enough is taken now and then', async () => {
    const { channel, clock, streams, body } = openAnswers(1);
    for (let count = 0; count < 3; count += 1) {
      body(1, 600);
      body(1, 401);
      expect(channel.isReading).toBe(false);
      clock.advance(STALL_MS - 1);
      await streams[0]?.body.read();
      expect(channel.isReading).toBe(true);
      await streams[0]?.body.read();
    }
    clock.advance(STALL_MS);
    expect(streams[0]?.signal.aborted).toBe(false);
  });

  it('loses its stream when it has held everything up for 45 s, however often it takes a little', async () => {
    const { channel, clock, streams, body } = openAnswers(2);
    for (let count = 0; count < 50; count += 1) body(1, 100);
    for (let seconds = 0; seconds < HOLD_MS / 1000 - 1; seconds += 2) {
      clock.advance(2_000);
      await streams[0]?.body.read();
      expect(channel.isReading).toBe(false);
    }
    expect(streams[0]?.signal.aborted).toBe(false);
    clock.advance(1_000);
    expect(streams.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(channel.isReading).toBe(true);
  });

  it('each holder has its own 30 s', async () => {
    const { channel, clock, streams, body } = openAnswers(2);
    body(1, 1_001);
    clock.advance(10_000);
    body(3, 1_001);
    clock.advance(STALL_MS - 10_000);
    expect(streams.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    clock.advance(9_999);
    expect(channel.isReading).toBe(false);
    clock.advance(1);
    expect(streams.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(channel.isReading).toBe(true);
  });

  it('loses what it holds though the stream is over', async () => {
    const { channel, clock, streams, body } = openAnswers(1);
    streams[0]?.output.end();
    body(1, 1_001);
    channel.receive({ type: streamEnd, streamId: 1 });
    expect(channel.isReading).toBe(false);
    clock.advance(STALL_MS);
    expect(channel.isReading).toBe(true);
    await expect(streams[0]?.body.read()).rejects.toMatchObject({ code: 'ERR_TUNNEL_READER_STALLED' });
    await settle();
    expect(channel.takeFrames().map(({ type }) => type)).not.toContain(streamAbort);
  });

  it('lets go when its stream breaks', () => {
    const { channel, body } = openAnswers(1);
    body(1, 1_001);
    channel.receive({ type: streamAbort, streamId: 1, payload: { reason: 'x' } });
    expect(channel.isReading).toBe(true);
  });

  it('meets the hard bound of a transport that cannot push back: at the limit, not one over', async () => {
    const { channel, streams, body } = openAnswers(1, { ...LIMITS, maxUnreadBytes: 2_000 });
    body(1, 1_000);
    body(1, 1_000);
    expect(streams[0]?.signal.aborted).toBe(false);
    body(1, 65);
    expect(streams[0]?.signal.reason).toMatchObject({ code: 'ERR_TUNNEL_READER_STALLED' });
    expect(channel.isReading).toBe(true);
  });

  it('can be read after the channel has gone, without touching it', async () => {
    const { channel, streams, body } = openAnswers(1);
    body(1, 1_001);
    channel.receive({ type: streamEnd, streamId: 1 });
    channel.end({ code: 1006, reason: '', cause: 'peer' });
    expect((await streams[0]?.body.read())?.length).toBe(1_001 - PIECE_COST_BYTES);
    expect(channel.isReading).toBe(false);
  });
});

describe('answers that nobody reads, together', () => {
  const TOTAL = { unreadHighWaterBytes: 1_000, totalUnreadHighWaterBytes: 2_000 } as const;

  it('stop the reading one byte above the limit for all, until half of it is left', async () => {
    const { channel, streams, body } = openAnswers(4, TOTAL);
    for (const id of [1, 3, 5, 7]) body(id, 500);
    expect(channel.isReading).toBe(true);
    body(7, PIECE_COST_BYTES + 1);
    expect(channel.isReading).toBe(false);
    await streams[0]?.body.read();
    await streams[1]?.body.read();
    expect(channel.isReading).toBe(false);
    await streams[3]?.body.read();
    expect(channel.isReading).toBe(true);
  });

  it('lose those streams of which nothing was taken for 30 s, and no more of them than it takes', async () => {
    const { channel, clock, streams, body } = openAnswers(5, TOTAL);
    for (const id of [1, 3, 5, 7, 9]) body(id, 300);
    clock.advance(STALL_MS);
    for (const id of [1, 3, 5]) body(id, 200);
    expect(channel.isReading).toBe(false);
    clock.advance(STALL_MS - 1);
    await streams[0]?.body.read();
    expect(streams.map(({ signal }) => signal.aborted)).toEqual([false, false, false, false, false]);
    clock.advance(1);
    expect(channel.isReading).toBe(true);
    expect(streams.map(({ signal }) => signal.aborted)).toEqual([false, true, true, false, false]);
    expect(clock.pendingTimers).toBe(1);
  });

  it('are forgotten with their streams, whichever way these end', () => {
    const { channel, streams, body } = openAnswers(8, TOTAL);
    for (const id of [1, 3, 5]) body(id, 667);
    expect(channel.isReading).toBe(false);
    streams[0]?.abort('x');
    streams[1]?.body.discard();
    expect(channel.isReading).toBe(true);
    channel.receive({ type: streamAbort, streamId: 5, payload: { reason: 'x' } });
    for (const id of [7, 9, 11, 13]) body(id, 500);
    expect(channel.isReading).toBe(true);
    body(15, PIECE_COST_BYTES + 1);
    expect(channel.isReading).toBe(false);
  });
});

describe('a WebSocket that is paused', () => {
  async function openPaused(limits: Partial<TunnelLimits>) {
    const client = openClient({ limits });
    const listener = recordSocket();
    const opening = client.tunnel.openSocket({ path: '/', query: '' }, listener);
    client.channel.receive({ type: wsOpened, streamId: 1, payload: {} });
    const { socket } = await opening.opened;
    await settle();
    socket.pause();
    const message = (cost: number): void =>
      client.channel.receive({
        type: wsBinary,
        streamId: 1,
        payload: new Uint8Array(cost - PIECE_COST_BYTES),
      });
    return { ...client, listener, socket, message };
  }

  it('stops the reading like a body, and resumes when it goes on', async () => {
    const { channel, socket, listener, message } = await openPaused(LIMITS);
    message(1_000);
    expect(channel.isReading).toBe(true);
    message(65);
    expect(channel.isReading).toBe(false);
    socket.resume();
    expect(channel.isReading).toBe(true);
    expect(listener.messages.length).toBe(2);
  });

  it('loses its stream after 30 s, and hears of it', async () => {
    const { channel, clock, listener, message, socket } = await openPaused(LIMITS);
    message(1_001);
    clock.advance(STALL_MS);
    expect(channel.isReading).toBe(true);
    expect(listener.closes).toEqual([{ code: 1006, reason: 'not read for too long' }]);
    socket.resume();
    expect(listener.messages).toEqual([]);
  });

  it('may hold a single message above the hard bound, but no second one', async () => {
    const { listener, message } = await openPaused({ ...LIMITS, maxUnreadBytes: 2_000 });
    message(3_000);
    expect(listener.closes).toEqual([]);
    message(65);
    expect(listener.closes.length).toBe(1);
  });

  it('counts text by its bytes', async () => {
    const { channel } = await openPaused({ unreadHighWaterBytes: 100 });
    channel.receive({ type: wsText, streamId: 1, payload: 'é'.repeat(18) });
    expect(channel.isReading).toBe(true);
    channel.receive({ type: wsText, streamId: 1, payload: '' });
    expect(channel.isReading).toBe(false);
  });

  it.each([
    ['WebCrypto', (bytes: Uint8Array<ArrayBuffer>) => bytes],
    ['Node', (bytes: Uint8Array<ArrayBuffer>) => Buffer.from(bytes.buffer)],
  ])('does not keep a large plaintext of %s in memory for a small message', async (_name, asOpened) => {
    const { channel, listener, socket } = await openPaused({});
    const plaintext = new Uint8Array(60_000);
    plaintext.set([wsBinary, 0, 0, 0, 1, 42]);
    channel.deliver(asOpened(plaintext).subarray(0, 6));
    socket.resume();
    const [message] = listener.messages;
    expect(message).toEqual(Uint8Array.of(42));
    expect((message as Uint8Array).buffer.byteLength).toBe(1);
  });
});
