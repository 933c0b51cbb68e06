import { describe, expect, it } from 'vitest';
import { FRAME_TYPE, packPlaintext, StreamError, type TunnelFrame } from '../../src/index.ts';
import { settle, toFrame } from './support/scripted-channel.ts';
import { GET, OK, openHost, readAll } from './support/tunnels.ts';

const { httpRequest, httpBody, httpResponse, streamEnd, streamAbort, wsOpen, wsText } = FRAME_TYPE;

/** Streams that were aborted, with the reasons. */
function aborts(frames: readonly TunnelFrame[]): [number, string][] {
  return frames
    .filter((frame) => frame.type === streamAbort)
    .map((frame) => [frame.streamId, JSON.parse(Buffer.from(frame.payload).toString()).reason]);
}

describe('a Host', () => {
  it('answers before the request body has ended, and hears the rest of it', async () => {
    const { channel, requests, tunnel } = openHost();
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    const [stream] = requests;
    expect(stream?.request).toEqual(GET);
    stream?.respond(OK)?.end();
    await settle();
    expect(channel.takeFrames().map(({ type }) => type)).toEqual([httpResponse, streamEnd]);
    expect(tunnel.traffic.openStreams).toBe(1);
    channel.receive({ type: httpBody, streamId: 1, payload: 'late' }, { type: streamEnd, streamId: 1 });
    expect(Buffer.from((await stream?.body.read()) ?? []).toString()).toBe('late');
    expect(await stream?.body.read()).toBeUndefined();
    expect(tunnel.traffic.openStreams).toBe(0);
    expect(stream?.signal.aborted).toBe(false);
  });

  it('ignores late frames of a stream that is over', async () => {
    const { channel, requests } = openHost();
    channel.receive({ type: httpRequest, streamId: 1, payload: GET }, { type: streamEnd, streamId: 1 });
    requests[0]?.respond(OK)?.end();
    await settle();
    channel.takeFrames();
    channel.receive(
      { type: httpBody, streamId: 1, payload: 'x' },
      { type: streamEnd, streamId: 1 },
      { type: streamAbort, streamId: 1, payload: { reason: 'x' } },
      { type: wsText, streamId: 1, payload: 'x' },
    );
    await settle();
    expect(channel.takeFrames()).toEqual([]);
  });

  it('aborts what opens a stream that has been, without disturbing anything', async () => {
    const { channel, requests } = openHost();
    for (const streamId of [1, 3]) channel.receive({ type: httpRequest, streamId, payload: GET });
    channel.receive({ type: streamAbort, streamId: 1, payload: { reason: 'x' } });
    for (const type of [httpRequest, wsOpen]) channel.receive({ type, streamId: 1, payload: GET });
    await settle();
    expect(aborts(channel.takeFrames())).toEqual([
      [1, 'duplicate stream id'],
      [1, 'duplicate stream id'],
    ]);
    expect(requests.length).toBe(2);
    expect(requests[1]?.signal.aborted).toBe(false);
  });

  it('takes streams in whatever order they are opened, each once', async () => {
    const { channel, requests } = openHost();
    for (const streamId of [5, 1, 3, 1, 5, 3]) channel.receive({ type: httpRequest, streamId, payload: GET });
    await settle();
    expect(requests.map(({ id }) => id)).toEqual([5, 1, 3]);
  });

  it('aborts a stream that is opened again while it is open, and no other', async () => {
    const { channel, requests } = openHost();
    channel.receive(
      { type: httpRequest, streamId: 1, payload: GET },
      { type: httpRequest, streamId: 3, payload: GET },
    );
    channel.receive({ type: wsOpen, streamId: 1, payload: GET });
    await settle();
    expect(aborts(channel.takeFrames())).toEqual([[1, 'duplicate stream id']]);
    expect(requests[0]?.signal.reason).toMatchObject({ code: 'ERR_TUNNEL_PROTOCOL' });
    expect(requests[1]?.signal.aborted).toBe(false);
  });

  it('aborts even ids, and ignores what would open stream 0', async () => {
    const { channel, requests } = openHost();
    for (const streamId of [0, 2, 0xffff_fffe])
      channel.receive({ type: httpRequest, streamId, payload: GET });
    channel.receive({ type: httpBody, streamId: 4, payload: 'x' });
    await settle();
    expect(aborts(channel.takeFrames()).map(([id]) => id)).toEqual([2, 0xffff_fffe]);
    expect(requests).toEqual([]);
  });

  it('takes the last odd id, and nothing after it', async () => {
    const { channel, requests } = openHost();
    channel.receive({ type: httpRequest, streamId: 0xffff_ffff, payload: GET });
    channel.receive({ type: httpRequest, streamId: 5, payload: GET });
    await settle();
    expect(requests.map(({ id }) => id)).toEqual([0xffff_ffff]);
    expect(aborts(channel.takeFrames())).toEqual([[5, 'duplicate stream id']]);
  });

  it('ignores types it does not know, even on open streams and with the bit for fragments', async () => {
    const { channel, requests } = openHost();
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    channel.receive(
      { type: 0, streamId: 1 },
      { type: 13, streamId: 1, hasMore: true },
      { type: 127, streamId: 9 },
    );
    await settle();
    expect(channel.takeFrames()).toEqual([]);
    expect(requests[0]?.signal.aborted).toBe(false);
  });

  it.each([
    ['a WebSocket message on it', { type: wsText, payload: 'x' }],
    ['a fragment of a body', { type: httpBody, payload: 'x', hasMore: true }],
    ['a fragment of an end', { type: streamEnd, hasMore: true }],
    ['an HttpResponse from the Client', { type: httpResponse, payload: OK }],
    ['a WsOpened', { type: FRAME_TYPE.wsOpened, payload: {} }],
    ['a WsClose', { type: FRAME_TYPE.wsClose, payload: { code: 1000, reason: '' } }],
  ])('aborts an HTTP stream for %s, and leaves others alone', async (_, frame) => {
    const { channel, requests } = openHost();
    channel.receive(
      { type: httpRequest, streamId: 1, payload: GET },
      { type: httpRequest, streamId: 3, payload: GET },
    );
    const read = requests[0]?.body.read();
    channel.receive({ ...frame, streamId: 1 });
    await settle();
    expect(aborts(channel.takeFrames()).map(([id]) => id)).toEqual([1]);
    await expect(read).rejects.toMatchObject({ code: 'ERR_TUNNEL_PROTOCOL' });
    channel.receive({ type: httpBody, streamId: 3, payload: 'fine' }, { type: streamEnd, streamId: 3 });
    expect(Buffer.from((await requests[1]?.body.read()) ?? []).toString()).toBe('fine');
  });

  it('aborts a stream whose body goes on after its end, and takes a second end as said', async () => {
    const { channel, requests } = openHost();
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    channel.receive({ type: streamEnd, streamId: 1 }, { type: streamEnd, streamId: 1 });
    expect(requests[0]?.signal.aborted).toBe(false);
    channel.receive({ type: httpBody, streamId: 1, payload: 'x' });
    expect(requests[0]?.signal.reason).toMatchObject({ code: 'ERR_TUNNEL_PROTOCOL' });
  });

  it.each([
    ['no JSON', 'GET /'],
    ['no path', { method: 'GET', query: '', headers: {} }],
    ['a path that is none', { ...GET, path: 'x' }],
  ])('aborts a request with %s', async (_, payload) => {
    const { channel, requests } = openHost();
    channel.receive({ type: httpRequest, streamId: 1, payload });
    channel.receive({ type: httpRequest, streamId: 3, payload: GET, hasMore: true });
    await settle();
    expect(aborts(channel.takeFrames()).map(([id]) => id)).toEqual([1, 3]);
    expect(requests).toEqual([]);
  });

  it('lets a Client have as many streams as the limit says, and aborts one more', async () => {
    const { channel, requests, tunnel } = openHost({ limits: { maxStreams: 2 } });
    for (const streamId of [1, 3, 5]) channel.receive({ type: httpRequest, streamId, payload: GET });
    await settle();
    expect(aborts(channel.takeFrames())).toEqual([[5, 'too many streams']]);
    expect(tunnel.traffic.openStreams).toBe(2);
    requests[0]?.abort('enough');
    channel.receive({ type: httpRequest, streamId: 7, payload: GET });
    expect(requests.map(({ id }) => id)).toEqual([1, 3, 7]);
  });

  it('counts streams that are over while their answers wait to be sent', async () => {
    const { channel, requests } = openHost({ limits: { maxStreams: 2 } });
    channel.pendingBytes = 10_000_000;
    for (const streamId of [1, 3, 5]) {
      channel.receive({ type: httpRequest, streamId, payload: GET }, { type: streamEnd, streamId });
      if (requests.at(-1)?.id === streamId) requests.at(-1)?.respond(OK)?.end();
    }
    expect(requests.length).toBe(2);
    channel.drain();
    await settle();
    channel.receive({ type: httpRequest, streamId: 7, payload: GET });
    expect(requests.length).toBe(3);
  });

  it('closes the tunnel of a Client that has more refused than can be told', async () => {
    const { channel, ends } = openHost({ limits: { maxControlFrames: 5 } });
    channel.pendingBytes = 10_000_000;
    for (let count = 0; count < 5; count += 1)
      channel.receive({ type: httpRequest, streamId: 2, payload: GET });
    expect(channel.closed).toBeUndefined();
    channel.receive({ type: httpRequest, streamId: 2, payload: GET });
    await settle();
    expect(ends).toMatchObject([{ code: 1011, cause: 'fault' }]);
  });

  it('hears why the Client gave up', async () => {
    const { channel, requests, tunnel } = openHost();
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    const read = requests[0]?.body.read();
    channel.receive({ type: streamAbort, streamId: 1, payload: { reason: 'changed my mind' } });
    await expect(read).rejects.toMatchObject({
      code: 'ERR_TUNNEL_STREAM_ABORTED',
      reason: 'changed my mind',
    });
    expect(requests[0]?.signal.reason).toBeInstanceOf(StreamError);
    expect(tunnel.traffic.openStreams).toBe(0);
    // What it answers now goes nowhere.
    const output = requests[0]?.respond(OK);
    expect(output?.write(new Uint8Array(10_000_000))).toBe(true);
    await output?.drained();
    output?.end();
    await settle();
    expect(channel.takeFrames()).toEqual([]);
  });

  it('says that it gives up after what it has written, and says so once', async () => {
    const { channel, requests } = openHost();
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    const output = requests[0]?.respond(OK);
    expect(output?.write(new Uint8Array(300_000))).toBe(false);
    const drained = output?.drained();
    requests[0]?.abort('no');
    requests[0]?.abort('no');
    output?.write(new Uint8Array(1));
    output?.end();
    await drained;
    await settle();
    const frames = channel.takeFrames();
    expect([frames[0]?.type, frames.at(-1)?.type]).toEqual([httpResponse, streamAbort]);
    const bodies = frames.filter(({ type }) => type === httpBody);
    expect(bodies.reduce((sum, { payload }) => sum + payload.length, 0)).toBe(300_000);
    expect(frames.length).toBe(bodies.length + 2);
    expect(aborts(frames)).toEqual([[1, 'no']]);
  });

  it('says that it gives up after a piece that waits for company', async () => {
    const { channel, requests } = openHost();
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    const output = requests[0]?.respond(OK, 'patient');
    await settle();
    channel.takeFrames();
    output?.write(new Uint8Array(10));
    await settle();
    expect(channel.takeFrames()).toEqual([]);
    requests[0]?.abort('broke off');
    await settle();
    expect(channel.takeFrames().map(({ type }) => type)).toEqual([httpBody, streamAbort]);
  });

  it('forgets what waits when the Client gives up', async () => {
    const { channel, requests } = openHost();
    channel.pendingBytes = 10_000_000;
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    requests[0]?.respond(OK)?.write(new Uint8Array(300_000));
    channel.receive({ type: streamAbort, streamId: 1, payload: { reason: 'no' } });
    channel.drain();
    await settle();
    expect(channel.takeFrames()).toEqual([]);
  });

  it('answers once, and may try again after a head that does not fit', () => {
    const { channel, requests } = openHost();
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    const tooMuch = { status: 200, headers: { x: 'x'.repeat(65_526) } };
    expect(requests[0]?.respond(tooMuch)).toBeUndefined();
    expect(requests[0]?.respond(OK)).toBeDefined();
    expect(() => requests[0]?.respond(OK)).toThrow('once');
  });

  it('aborts the stream of a handler that throws, reports the bug, and goes on', async () => {
    const bug = new Error('a bug');
    const seen: number[] = [];
    const { channel, bugs } = openHost({
      onRequest: (stream) => {
        seen.push(stream.id);
        if (stream.id === 1) throw bug;
      },
    });
    channel.receive(
      { type: httpRequest, streamId: 1, payload: GET },
      { type: httpRequest, streamId: 3, payload: GET },
    );
    await settle();
    expect(bugs).toEqual([bug]);
    expect(seen).toEqual([1, 3]);
    expect(aborts(channel.takeFrames())).toEqual([[1, 'internal error']]);
  });

  it('hears of no frame behind the one that made it close', async () => {
    const seen: number[] = [];
    const { channel, tunnel } = openHost({
      isBatching: true,
      onRequest: (stream) => {
        seen.push(stream.id);
        tunnel.close(1000, 'enough');
      },
    });
    const frames = [1, 3].map((streamId) => toFrame({ type: httpRequest, streamId, payload: GET }));
    channel.deliver(packPlaintext(frames, { isBatching: true }));
    expect(seen).toEqual([1]);
  });

  it('closes with 1011 when a plaintext has no structure', async () => {
    const { channel, ends, requests } = openHost({ isBatching: true });
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    channel.deliver(Uint8Array.of(2, 0, 0));
    await settle();
    expect(ends).toEqual([{ code: 1011, reason: 'malformed plaintext', cause: 'fault' }]);
    expect(requests[0]?.signal.reason).toMatchObject({ code: 'ERR_TUNNEL_CLOSED' });
  });

  it('drops an upload that nobody reads once the answer is complete', async () => {
    const { channel, requests, clock } = openHost({ limits: { unreadHighWaterBytes: 10_000 } });
    const upload = { type: httpBody, streamId: 1, payload: new Uint8Array(20_000) };
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    requests[0]?.respond(OK)?.end();
    channel.receive(upload);
    expect(channel.isReading).toBe(false);
    clock.advance(999);
    expect(channel.isReading).toBe(false);
    clock.advance(1);
    expect(channel.isReading).toBe(true);
    channel.receive(upload, upload, { type: streamEnd, streamId: 1 });
    expect(channel.isReading).toBe(true);
    await settle();
    expect(channel.takeFrames().map(({ type }) => type)).toEqual([httpResponse, streamEnd]);
    await expect(requests[0]?.body.read()).rejects.toMatchObject({ code: 'ERR_TUNNEL_READER_STALLED' });
  });

  it('lets go of the channel soon after the answer to an unread upload is complete', () => {
    const { channel, requests, clock } = openHost({ limits: { unreadHighWaterBytes: 10_000 } });
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    channel.receive({ type: httpBody, streamId: 1, payload: new Uint8Array(20_000) });
    clock.advance(500);
    requests[0]?.respond(OK)?.end();
    expect(channel.isReading).toBe(false);
    clock.advance(500);
    expect(channel.isReading).toBe(true);
  });

  it('loses its short patience in time though another upload, read by now, had more', async () => {
    const { channel, requests, clock } = openHost({ limits: { unreadHighWaterBytes: 10_000 } });
    for (const streamId of [1, 3]) channel.receive({ type: httpRequest, streamId, payload: GET });
    requests[1]?.respond(OK)?.end();
    channel.receive({ type: httpBody, streamId: 1, payload: new Uint8Array(20_000) });
    await requests[0]?.body.read();
    channel.receive({ type: httpBody, streamId: 3, payload: new Uint8Array(20_000) });
    clock.advance(999);
    expect(channel.isReading).toBe(false);
    clock.advance(1);
    expect(channel.isReading).toBe(true);
    expect(clock.pendingTimers).toBe(1);
  });

  it('has all its patience again for an upload that is read after the answer', async () => {
    const { channel, requests, clock } = openHost({ limits: { unreadHighWaterBytes: 10_000 } });
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    const chunk = { type: httpBody, streamId: 1, payload: new Uint8Array(20_000) };
    channel.receive(chunk, chunk);
    requests[0]?.respond(OK)?.end();
    await requests[0]?.body.read();
    clock.advance(29_999);
    expect(requests[0]?.signal.aborted).toBe(false);
    clock.advance(1);
    expect(requests[0]?.signal.reason).toMatchObject({ code: 'ERR_TUNNEL_READER_STALLED' });
  });

  it('still reads an upload to its end after the answer, if it goes on reading', async () => {
    const { channel, requests } = openHost({ limits: { unreadHighWaterBytes: 10_000 } });
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    const [stream] = requests;
    if (stream === undefined) throw new Error('no stream');
    const whole = readAll(stream.body);
    stream.respond(OK)?.end();
    channel.receive({ type: httpBody, streamId: 1, payload: new Uint8Array(60_000) });
    channel.receive({ type: httpBody, streamId: 1, payload: new Uint8Array(60_000) });
    channel.receive({ type: streamEnd, streamId: 1 });
    expect((await whole).length).toBe(120_000);
  });
});
