import { describe, expect, it } from 'vitest';
import { defaultTunnelLimits, FRAME_TYPE, MAX_PAYLOAD_BYTES } from '../../src/index.ts';
import { settle } from './support/scripted-channel.ts';
import { GET, OK, openClient, readAll } from './support/tunnels.ts';

const { httpRequest, httpBody, httpResponse, streamEnd, streamAbort, wsText, wsOpened } = FRAME_TYPE;

describe('a Client', () => {
  it('sends head, body and end together, under odd ids from 1', async () => {
    const { tunnel, channel } = openClient({ isBatching: true });
    for (let count = 0; count < 2; count += 1) {
      const { output } = tunnel.request(GET);
      output.write(Buffer.from('body'));
      output.end();
    }
    await settle();
    const [frames, ...more] = channel.takePlaintexts();
    expect(more).toEqual([]);
    expect(frames?.map(({ type, streamId }) => [type, streamId])).toEqual([
      [httpRequest, 1],
      [httpBody, 1],
      [streamEnd, 1],
      [httpRequest, 3],
      [httpBody, 3],
      [streamEnd, 3],
    ]);
    expect(JSON.parse(Buffer.from(frames?.[0]?.payload ?? []).toString())).toEqual(GET);
  });

  it('waits with what it has for the channel to be established', async () => {
    const { tunnel, channel } = openClient({ isEstablished: false });
    tunnel.request(GET).output.end();
    await settle();
    expect(channel.sent).toEqual([]);
    channel.establish();
    await settle();
    expect(channel.takeFrames().map(({ type }) => type)).toEqual([httpRequest, streamEnd]);
  });

  it('hears the answer while it still sends', async () => {
    const { tunnel, channel } = openClient();
    const stream = tunnel.request(GET);
    channel.receive(
      { type: httpResponse, streamId: 1, payload: OK },
      { type: httpBody, streamId: 1, payload: 'ab' },
      { type: httpBody, streamId: 1, payload: '' },
      { type: httpBody, streamId: 1, payload: 'c' },
      { type: streamEnd, streamId: 1 },
    );
    expect(await stream.response).toEqual(OK);
    expect(Buffer.from(await readAll(stream.body)).toString()).toBe('abc');
    expect(tunnel.traffic.openStreams).toBe(1);
    stream.output.write(Buffer.from('more'));
    stream.output.end();
    expect(tunnel.traffic.openStreams).toBe(0);
    await settle();
    expect(channel.takeFrames().map(({ type }) => type)).toEqual([httpRequest, httpBody, streamEnd]);
  });

  it.each([
    ['a body before the answer', [{ type: httpBody, payload: 'x' }]],
    ['an end before the answer', [{ type: streamEnd }]],
    [
      'a second answer',
      [
        { type: httpResponse, payload: OK },
        { type: httpResponse, payload: OK },
      ],
    ],
    ['an answer that is none', [{ type: httpResponse, payload: { status: 42, headers: {} } }]],
    ['a fragment of an answer', [{ type: httpResponse, payload: OK, hasMore: true }]],
    ['a request from the Host', [{ type: httpRequest, payload: GET }]],
    ['a WsOpened', [{ type: wsOpened, payload: {} }]],
    ['a message', [{ type: wsText, payload: 'x' }]],
  ])('aborts a stream for %s, and no other', async (_, frames) => {
    const { tunnel, channel } = openClient();
    const stream = tunnel.request(GET);
    const other = tunnel.request(GET);
    const read = stream.body.read();
    for (const frame of frames) channel.receive({ ...frame, streamId: 1 });
    await expect(read).rejects.toMatchObject({ code: 'ERR_TUNNEL_PROTOCOL' });
    expect(stream.signal.reason).toMatchObject({ code: 'ERR_TUNNEL_PROTOCOL' });
    await settle();
    expect(
      channel
        .takeFrames()
        .filter(({ type }) => type === streamAbort)
        .map(({ streamId }) => streamId),
    ).toEqual([1]);
    channel.receive({ type: httpResponse, streamId: 3, payload: OK });
    expect(await other.response).toEqual(OK);
  });

  it('ignores frames of streams that are over or never were', async () => {
    const { tunnel, channel } = openClient();
    tunnel.request(GET).abort('no');
    await settle();
    channel.takeFrames();
    for (const streamId of [0, 1, 2, 3, 0xffff_ffff]) {
      channel.receive(
        { type: httpResponse, streamId, payload: OK },
        { type: httpBody, streamId, payload: 'x' },
        { type: httpRequest, streamId, payload: GET },
        { type: streamAbort, streamId },
      );
    }
    await settle();
    expect(channel.takeFrames()).toEqual([]);
    expect(tunnel.traffic.openStreams).toBe(0);
  });

  it('has its promises reject with what the Host said, or with a word for nothing', async () => {
    const { tunnel, channel } = openClient();
    const first = tunnel.request(GET);
    const second = tunnel.request(GET);
    channel.receive({ type: streamAbort, streamId: 1, payload: { reason: 'origin is down' } });
    channel.receive({ type: streamAbort, streamId: 3, payload: 'not JSON' });
    await expect(first.response).rejects.toMatchObject({
      code: 'ERR_TUNNEL_STREAM_ABORTED',
      reason: 'origin is down',
    });
    await expect(second.response).rejects.toMatchObject({ reason: 'no reason given' });
    await expect(first.body.read()).rejects.toMatchObject({ reason: 'origin is down' });
  });

  it('leaves no rejection unhandled when nobody looks', async () => {
    const { tunnel, channel } = openClient();
    const stream = tunnel.request(GET);
    void stream.body.read();
    void stream.body.read();
    tunnel.openSocket({ path: '/', query: '' }, { onMessage() {}, onDrain() {}, onClose() {} });
    channel.end({ code: 1006, reason: '', cause: 'peer' });
    void stream.body.read();
    // The test run fails on an unhandled rejection.
    await settle();
    expect(stream.signal.aborted).toBe(true);
  });

  it('reads as ended once discarded, and drops what comes', async () => {
    const { tunnel, channel } = openClient({ limits: { unreadHighWaterBytes: 10_000 } });
    const stream = tunnel.request(GET);
    channel.receive({ type: httpResponse, streamId: 1, payload: OK });
    channel.receive({ type: httpBody, streamId: 1, payload: new Uint8Array(20_000) });
    expect(channel.isReading).toBe(false);
    stream.body.discard();
    expect(channel.isReading).toBe(true);
    channel.receive({ type: httpBody, streamId: 1, payload: new Uint8Array(20_000) });
    expect(channel.isReading).toBe(true);
    expect(await stream.body.read()).toBeUndefined();
  });

  it('answers a read that waits when the body is discarded', async () => {
    const { tunnel } = openClient();
    const stream = tunnel.request(GET);
    const read = stream.body.read();
    stream.body.discard();
    expect(await read).toBeUndefined();
  });

  it('drops what is unread when it gives up, also after the end', async () => {
    const { tunnel, channel } = openClient({ limits: { unreadHighWaterBytes: 10_000 } });
    const stream = tunnel.request(GET);
    stream.output.end();
    channel.receive({ type: httpResponse, streamId: 1, payload: OK });
    channel.receive(
      { type: httpBody, streamId: 1, payload: new Uint8Array(20_000) },
      { type: streamEnd, streamId: 1 },
    );
    expect(channel.isReading).toBe(false);
    stream.abort('not needed');
    expect(channel.isReading).toBe(true);
    await expect(stream.body.read()).rejects.toMatchObject({ code: 'ERR_TUNNEL_STREAM_CANCELLED' });
    await settle();
    expect(channel.takeFrames().map(({ type }) => type)).toEqual([httpRequest, streamEnd]);
  });

  it.each([0, 1])('sends nothing of what waits when it gives up, after %i messages', async (sent) => {
    const { tunnel, channel } = openClient();
    channel.isFilling = true;
    if (sent === 0) channel.pendingBytes = defaultTunnelLimits.channelHighWaterBytes;
    else channel.pendingBytes = defaultTunnelLimits.channelHighWaterBytes - 1;
    const stream = tunnel.request({ ...GET, method: 'POST' });
    stream.output.write(new Uint8Array(200_000));
    stream.output.end();
    await settle();
    expect(channel.takePlaintexts().length).toBe(sent);
    stream.abort('not needed');
    channel.drain();
    await settle();
    // Neither the head, with which it would begin, nor the end, with which it would be whole.
    expect(channel.takeFrames().map(({ type }) => type)).toEqual([streamAbort]);
  });

  it('refuses heads that do not fit a frame, and uses up no id for them', async () => {
    const { tunnel, channel } = openClient();
    const overhead = JSON.stringify({ ...GET, headers: { x: '' } }).length;
    const longest = { ...GET, headers: { x: 'x'.repeat(MAX_PAYLOAD_BYTES - overhead) } };
    expect(() => tunnel.request({ ...longest, query: 'q' })).toThrow(RangeError);
    const listener = { onMessage() {}, onDrain() {}, onClose() {} };
    expect(() => tunnel.openSocket({ path: '/', query: 'x'.repeat(65_526) }, listener)).toThrow(RangeError);
    tunnel.request(longest);
    await settle();
    const [frame] = channel.takeFrames();
    expect([frame?.streamId, frame?.payload.length]).toEqual([1, MAX_PAYLOAD_BYTES]);
  });

  it('closes the tunnel when ids are used up, so that another one is made', async () => {
    const { tunnel, channel, ends } = openClient({ limits: { maxStreamId: 3 } });
    const streams = [tunnel.request(GET), tunnel.request(GET)];
    expect(channel.closed).toBeUndefined();
    const refused = tunnel.request(GET);
    await expect(refused.response).rejects.toMatchObject({ code: 'ERR_TUNNEL_CLOSED' });
    await expect(streams[0]?.response).rejects.toMatchObject({ reason: 'all stream ids are used' });
    expect(ends).toEqual([{ code: 1000, reason: 'all stream ids are used', cause: 'local' }]);
  });

  it('counts payloads both ways', async () => {
    const { tunnel, channel } = openClient();
    const stream = tunnel.request(GET);
    stream.output.write(new Uint8Array(1_000));
    await settle();
    const head = JSON.stringify(GET).length;
    expect(tunnel.traffic).toEqual({ sentBytes: head + 1_000, receivedBytes: 0, openStreams: 1 });
    channel.receive({ type: httpBody, streamId: 9, payload: 'abc' });
    expect(tunnel.traffic.receivedBytes).toBe(3);
  });
});

describe('the end of a tunnel', () => {
  it.each([
    { code: 1006, reason: '', cause: 'peer', said: 'code 1006' },
    { code: 4008, reason: 'host unavailable', cause: 'peer', said: 'host unavailable' },
    { code: 1002, reason: 'no answer', cause: 'handshake-timeout', said: 'no answer' },
  ] as const)('fails what is open with its reason: $cause $code', async ({ said, ...end }) => {
    const { tunnel, channel, ends, clock } = openClient();
    const stream = tunnel.request(GET);
    const later = tunnel.request(GET);
    channel.receive(
      { type: httpResponse, streamId: 3, payload: OK },
      { type: httpBody, streamId: 3, payload: 'x' },
    );
    expect(stream.output.write(new Uint8Array(300_000))).toBe(false);
    const drained = stream.output.drained();
    channel.end(end);
    await expect(stream.response).rejects.toMatchObject({
      code: 'ERR_TUNNEL_CLOSED',
      reason: said,
      cause: end,
    });
    await expect(later.body.read()).rejects.toMatchObject({ code: 'ERR_TUNNEL_CLOSED' });
    await drained;
    expect(ends).toEqual([end]);
    expect(tunnel.traffic.openStreams).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    expect(await tunnel.probe(1_000)).toBe(false);
    await expect(tunnel.request(GET).response).rejects.toMatchObject({ reason: said });
  });

  it('leaves a body that came whole to be read', async () => {
    const { tunnel, channel } = openClient();
    const stream = tunnel.request(GET);
    channel.receive(
      { type: httpResponse, streamId: 1, payload: OK },
      { type: httpBody, streamId: 1, payload: 'whole' },
      { type: streamEnd, streamId: 1 },
    );
    channel.end({ code: 1006, reason: '', cause: 'peer' });
    expect(Buffer.from(await readAll(stream.body)).toString()).toBe('whole');
  });

  it('asked for by this side, breaks the streams at once and is told once', async () => {
    const { tunnel, channel, ends } = openClient();
    const stream = tunnel.request(GET);
    tunnel.close(1001, 'going away');
    tunnel.close(1000, 'again');
    expect(stream.signal.reason).toMatchObject({ code: 'ERR_TUNNEL_CLOSED', reason: 'going away' });
    channel.receive({ type: httpResponse, streamId: 1, payload: OK });
    await settle();
    expect(channel.closed).toEqual({ end: { code: 1001, reason: 'going away' }, cause: 'local' });
    expect(ends).toEqual([{ code: 1001, reason: 'going away', cause: 'local' }]);
  });
});
