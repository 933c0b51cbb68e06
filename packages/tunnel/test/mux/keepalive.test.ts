import { describe, expect, it } from 'vitest';
import { FRAME_TYPE, KEEPALIVE } from '../../src/index.ts';
import { settle } from './support/scripted-channel.ts';
import { GET, OK, openClient, openHost } from './support/tunnels.ts';

const { ping, pong, httpBody, httpResponse, httpRequest } = FRAME_TYPE;

describe.each([
  ['Client', openClient],
  ['Host', openHost],
])('a %s', (_, open) => {
  it('answers Ping with Pong on stream 0, and Pong with nothing', async () => {
    const { channel } = open();
    channel.receive({ type: ping, streamId: 0 });
    await settle();
    channel.receive({ type: pong, streamId: 0 });
    await settle();
    expect(channel.takeFrames()).toEqual([
      { type: pong, streamId: 0, hasMore: false, payload: new Uint8Array(0) },
    ]);
  });

  it('answers many Pings with one Pong while it cannot send', async () => {
    const { channel } = open();
    channel.pendingBytes = 10_000_000;
    for (let count = 0; count < 1_000; count += 1) channel.receive({ type: ping, streamId: 0 });
    channel.drain();
    await settle();
    expect(channel.takeFrames().length).toBe(1);
  });

  it('has one timer, whatever comes', async () => {
    const { channel, clock } = open();
    expect(clock.pendingTimers).toBe(1);
    for (let count = 0; count < 100; count += 1) channel.receive({ type: pong, streamId: 0 });
    expect(clock.pendingTimers).toBe(1);
    channel.end({ code: 1000, reason: '', cause: 'peer' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('looks for nothing before the channel is established', () => {
    const { clock } = open({ isEstablished: false });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a Client', () => {
  it('sends Ping after 30 s without sending, and closes 15 s later when nothing comes', async () => {
    const { channel, clock, ends } = openClient();
    clock.advance(KEEPALIVE.clientIdleMs - 1);
    await settle();
    expect(channel.takeFrames()).toEqual([]);
    clock.advance(1);
    await settle();
    expect(channel.takeFrames()).toMatchObject([{ type: ping, streamId: 0 }]);
    clock.advance(KEEPALIVE.clientAnswerMs - 1);
    expect(channel.closed).toBeUndefined();
    clock.advance(1);
    await settle();
    expect(ends).toEqual([{ code: 1001, reason: 'no sign of life', cause: 'silent' }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('takes any frame for an answer, and asks again 30 s after it last sent', async () => {
    const { channel, clock } = openClient();
    for (let round = 0; round < 3; round += 1) {
      clock.advance(KEEPALIVE.clientIdleMs);
      await settle();
      expect(channel.takeFrames()).toMatchObject([{ type: ping }]);
      clock.advance(KEEPALIVE.clientAnswerMs - 1);
      channel.receive({ type: 99, streamId: 77 });
      clock.advance(1);
      await settle();
      expect(channel.takeFrames()).toEqual([]);
      clock.advance(KEEPALIVE.clientIdleMs - KEEPALIVE.clientAnswerMs - 1);
      await settle();
      expect(channel.takeFrames()).toEqual([]);
      clock.advance(1);
      await settle();
      expect(channel.takeFrames()).toMatchObject([{ type: ping }]);
      channel.receive({ type: pong, streamId: 0 });
    }
  });

  it('does not ask while it sends and hears, but asks while it only hears: a Host counts what it hears', async () => {
    const { tunnel, channel, clock } = openClient();
    const { output } = tunnel.request(GET);
    clock.advance(20_000);
    channel.receive({ type: httpResponse, streamId: 1, payload: OK });
    output.write(new Uint8Array(100_000));
    await settle();
    channel.takeFrames();
    clock.advance(29_000);
    channel.receive({ type: httpBody, streamId: 1, payload: 'x' });
    await settle();
    expect(channel.takeFrames()).toEqual([]);
    clock.advance(1_000);
    await settle();
    expect(channel.takeFrames()).toMatchObject([{ type: ping }]);
  });

  it('asks while it only sends, and closes when nothing comes: a dead network takes a little for long', async () => {
    const { tunnel, channel, clock, ends } = openClient();
    const { output } = tunnel.request(GET);
    const types: number[] = [];
    for (let seconds = 0; seconds < 45; seconds += 1) {
      expect(ends).toEqual([]);
      output.write(new Uint8Array(10));
      await settle();
      channel.drain();
      types.push(...channel.takeFrames().map(({ type }) => type));
      clock.advance(1_000);
    }
    await settle();
    expect(types.filter((type) => type === ping).length).toBe(1);
    expect(ends).toMatchObject([{ cause: 'silent' }]);
  });

  it.each([{ isFirst: true }, { isFirst: false }])(
    'takes it for life when room is made for what waits (a Ping first: $isFirst)',
    async ({ isFirst }) => {
      const { tunnel, channel, clock, ends } = openClient();
      channel.isFilling = true;
      tunnel.request(GET).output.write(new Uint8Array(2_000_000));
      await settle();
      if (isFirst) clock.advance(KEEPALIVE.clientIdleMs);
      for (let round = 0; round < 10; round += 1) {
        clock.advance(KEEPALIVE.clientAnswerMs - 1);
        channel.pendingBytes -= 70_000;
        channel.progress();
        await settle();
        expect(channel.takeFrames().length).toBeGreaterThan(0);
      }
      expect(ends).toEqual([]);
      clock.advance(KEEPALIVE.clientIdleMs + KEEPALIVE.clientAnswerMs);
      await settle();
      expect(ends).toMatchObject([{ cause: 'silent' }]);
    },
  );

  it('takes its own deafness for life', async () => {
    const { tunnel, channel, clock } = openClient({
      limits: { unreadHighWaterBytes: 10, readerStallMs: 300_000 },
    });
    const stream = tunnel.request(GET);
    channel.receive({ type: httpResponse, streamId: 1, payload: OK });
    channel.receive({ type: httpBody, streamId: 1, payload: 'x' });
    expect(channel.isReading).toBe(false);
    clock.advance(200_000);
    expect(channel.closed).toBeUndefined();
    await settle();
    expect(channel.takeFrames().some(({ type }) => type === ping)).toBe(true);
    await stream.body.read();
    expect(channel.isReading).toBe(true);
    clock.advance(KEEPALIVE.clientIdleMs + KEEPALIVE.clientAnswerMs);
    expect(channel.closed?.cause).toBe('silent');
  });
});

describe('a Host', () => {
  it('closes with 1001 after 90 s of silence, and not 1 ms earlier', async () => {
    const { channel, clock, ends } = openHost();
    clock.advance(KEEPALIVE.hostSilenceMs - 1);
    expect(channel.closed).toBeUndefined();
    clock.advance(1);
    await settle();
    expect(ends).toEqual([{ code: 1001, reason: 'no sign of life', cause: 'silent' }]);
    expect(channel.takeFrames()).toEqual([]);
  });

  it('takes nothing for life but what it hears', async () => {
    const { channel, clock, ends, requests } = openHost();
    channel.isFilling = true;
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    requests[0]?.respond(OK)?.write(new Uint8Array(2_000_000));
    await settle();
    clock.advance(KEEPALIVE.hostSilenceMs - 1);
    channel.pendingBytes -= 70_000;
    channel.progress();
    clock.advance(1);
    await settle();
    expect(ends).toMatchObject([{ cause: 'silent' }]);
  });

  it('counts from the last frame of any kind', () => {
    const { channel, clock } = openHost();
    clock.advance(60_000);
    channel.receive({ type: 99, streamId: 8 });
    clock.advance(KEEPALIVE.hostSilenceMs - 1);
    expect(channel.closed).toBeUndefined();
    clock.advance(1);
    expect(channel.closed).toBeDefined();
  });

  it('takes its own deafness for life, and counts anew when it reads again', async () => {
    const { channel, clock, requests } = openHost({
      limits: { unreadHighWaterBytes: 10, readerStallMs: 500_000 },
    });
    channel.receive({ type: httpRequest, streamId: 1, payload: GET });
    channel.receive({ type: httpBody, streamId: 1, payload: 'x' });
    clock.advance(400_000);
    expect(channel.closed).toBeUndefined();
    await requests[0]?.body.read();
    clock.advance(KEEPALIVE.hostSilenceMs - 1);
    expect(channel.closed).toBeUndefined();
    clock.advance(1);
    expect(channel.closed?.cause).toBe('silent');
  });
});

describe('a probe', () => {
  it('asks at once, and any frame in time is an answer', async () => {
    const { tunnel, channel, clock } = openClient();
    const probe = tunnel.probe(1_000);
    await settle();
    expect(channel.takeFrames()).toMatchObject([{ type: ping }]);
    clock.advance(999);
    channel.receive({ type: pong, streamId: 0 });
    expect(await probe).toBe(true);
    expect(clock.pendingTimers).toBe(1);
  });

  it('says no when nothing comes in time, and closes nothing', async () => {
    const { tunnel, channel, clock } = openClient();
    const probes = [tunnel.probe(1_000), tunnel.probe(2_000)];
    clock.advance(1_000);
    expect(await probes[0]).toBe(false);
    channel.receive({ type: pong, streamId: 0 });
    expect(await probes[1]).toBe(true);
    expect(channel.closed).toBeUndefined();
  });

  it('says no when the channel ends', async () => {
    const { tunnel, channel, clock } = openClient();
    const probe = tunnel.probe(1_000);
    channel.end({ code: 1006, reason: '', cause: 'peer' });
    expect(await probe).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('says yes while this end does not read: silence proves nothing', async () => {
    const { tunnel, channel, clock } = openClient({ limits: { unreadHighWaterBytes: 10 } });
    tunnel.request(GET);
    channel.receive({ type: httpResponse, streamId: 1, payload: OK });
    channel.receive({ type: httpBody, streamId: 1, payload: 'x' });
    const probe = tunnel.probe(1_000);
    clock.advance(1_000);
    expect(await probe).toBe(true);
  });
});
