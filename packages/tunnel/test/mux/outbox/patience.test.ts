import { FakeClock } from '@openchambery/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { BATCH, FRAME_TYPE, MAX_PAYLOAD_BYTES } from '../../../src/index.ts';
import type { Lane } from '../../../src/mux/outbox/lane.ts';
import { Outbox } from '../../../src/mux/outbox/outbox.ts';
import { defaultTunnelLimits } from '../../../src/mux/tunnel-limits.ts';
import { ScriptedChannel, settle } from '../support/scripted-channel.ts';

const nobody = (): void => undefined;

let clock: FakeClock;
let channel: ScriptedChannel;
let outbox: Outbox;

function openOutbox({ isBatching }: { isBatching: boolean }): void {
  clock = new FakeClock();
  channel = new ScriptedChannel({ isBatching });
  outbox = new Outbox({ clock, limits: defaultTunnelLimits });
  outbox.open(channel, { isBatching });
}

function body(lane: Lane, byteLength: number, { isUrgent = false } = {}): void {
  lane.push({ type: FRAME_TYPE.httpBody, streamId: 1, bytes: new Uint8Array(byteLength), isUrgent });
}

function end(lane: Lane): void {
  lane.push({ type: FRAME_TYPE.streamEnd, streamId: 1, bytes: new Uint8Array(0), isUrgent: true });
}

/** Lengths of the payloads in each plaintext that was sent since the last time. */
async function sent(): Promise<number[][]> {
  await settle();
  return channel.takePlaintexts().map((frames) => frames.map((frame) => frame.payload.length));
}

describe('patient bytes', () => {
  beforeEach(() => openOutbox({ isBatching: true }));

  it('go at once after a quiet window, and wait for company after that', async () => {
    const lane = outbox.createLane(nobody);
    body(lane, 10);
    expect(await sent()).toEqual([[10]]);
    clock.advance(1);
    body(lane, 20);
    body(lane, 30);
    expect(await sent()).toEqual([]);
    clock.advance(BATCH.maxWaitMs - 2);
    expect(await sent()).toEqual([]);
    clock.advance(1);
    expect(await sent()).toEqual([[50]]);
    clock.advance(BATCH.maxWaitMs);
    body(lane, 1);
    expect(await sent()).toEqual([[1]]);
  });

  it('wait for the window that the last sending of anything began', async () => {
    const lane = outbox.createLane(nobody);
    body(lane, 10, { isUrgent: true });
    await sent();
    clock.advance(BATCH.maxWaitMs - 1);
    body(lane, 20);
    expect(await sent()).toEqual([]);
    clock.advance(1);
    expect(await sent()).toEqual([[20]]);
  });

  it('go when 24 KiB have come together, not one byte earlier', async () => {
    const lane = outbox.createLane(nobody);
    body(lane, 1);
    await sent();
    body(lane, BATCH.maxBytes - 1);
    expect(await sent()).toEqual([]);
    body(lane, 1);
    expect(await sent()).toEqual([[BATCH.maxBytes]]);
  });

  it('go when 32 streams have something, and share a message', async () => {
    const first = outbox.createLane(nobody);
    body(first, 1);
    await sent();
    const lanes = Array.from({ length: BATCH.maxFrames }, () => outbox.createLane(nobody));
    for (const lane of lanes.slice(1)) body(lane, 3);
    expect(await sent()).toEqual([]);
    body(first, 3);
    expect(await sent()).toEqual([Array.from(lanes, () => 3)]);
  });

  it('go along with whatever is sent at once', async () => {
    const patient = outbox.createLane(nobody);
    const other = outbox.createLane(nobody);
    body(patient, 1);
    await sent();
    body(patient, 7);
    expect(await sent()).toEqual([]);
    end(other);
    expect(await sent()).toEqual([[7, 0]]);
  });

  it('never wait behind the end of their stream', async () => {
    const lane = outbox.createLane(nobody);
    body(lane, 1);
    await sent();
    body(lane, 7);
    end(lane);
    expect(await sent()).toEqual([[7, 0]]);
  });

  it('fill frames: a chunk a little longer than a frame leaves no crumb behind', async () => {
    const lane = outbox.createLane(nobody);
    body(lane, 65_536);
    expect(await sent()).toEqual([[MAX_PAYLOAD_BYTES]]);
    body(lane, 65_536);
    expect(await sent()).toEqual([[MAX_PAYLOAD_BYTES]]);
    clock.advance(BATCH.maxWaitMs);
    expect(await sent()).toEqual([[20]]);
  });

  it('wait no longer than the window though others go ahead', async () => {
    const held = outbox.createLane(nobody);
    const bulk = outbox.createLane(nobody);
    body(held, 1);
    await sent();
    body(held, 9);
    for (let waited = 0; waited < BATCH.maxWaitMs; waited += 50) {
      body(bulk, 65_526);
      await settle();
      clock.advance(50);
    }
    expect((await sent()).flat()).toContain(9);
  });

  it('leave no timer when the outbox closes, and no load', async () => {
    const lane = outbox.createLane(nobody);
    body(lane, 1);
    await sent();
    body(lane, 9);
    expect(clock.pendingTimers).toBe(1);
    outbox.close();
    expect(clock.pendingTimers).toBe(0);
    body(lane, 9);
    expect(outbox.load).toMatchObject({ bytes: 0, pieces: 0, urgentPieces: 0, lanes: 0, finishedLanes: 0 });
  });
});

describe('without batching', () => {
  beforeEach(() => openOutbox({ isBatching: false }));

  it('each message holds one frame, and bytes of a body still become full frames', async () => {
    const lane = outbox.createLane(nobody);
    const other = outbox.createLane(nobody);
    for (let count = 0; count < 4; count += 1) body(lane, 32_768);
    end(lane);
    end(other);
    expect(await sent()).toEqual([[0], [MAX_PAYLOAD_BYTES], [MAX_PAYLOAD_BYTES], [20], [0]]);
  });
});

describe('what is held back without batching', () => {
  beforeEach(() => openOutbox({ isBatching: false }));

  it('goes after the window though urgent things overtake it again and again', async () => {
    const lane = outbox.createLane(nobody);
    body(lane, 65_536);
    expect(await sent()).toEqual([[MAX_PAYLOAD_BYTES]]);
    clock.advance(100);
    for (const other of [1, 2, 3].map(() => outbox.createLane(nobody)))
      body(other, 10_000, { isUrgent: true });
    expect(await sent()).toEqual([[10_000], [10_000], [10_000]]);
    clock.advance(BATCH.maxWaitMs - 101);
    expect(await sent()).toEqual([]);
    clock.advance(1);
    expect(await sent()).toEqual([[10]]);
  });

  it('has its own time: what came after it does not go before its own is up', async () => {
    channel.pendingBytes = defaultTunnelLimits.channelHighWaterBytes;
    body(outbox.createLane(nobody), 11);
    await settle();
    clock.advance(10);
    body(outbox.createLane(nobody), 22);
    channel.pendingBytes = 0;
    outbox.pump();
    expect(await sent()).toEqual([[11]]);
    clock.advance(BATCH.maxWaitMs - 1);
    expect(await sent()).toEqual([]);
    clock.advance(1);
    expect(await sent()).toEqual([[22]]);
  });
});

describe('what is urgent', () => {
  beforeEach(() => openOutbox({ isBatching: true }));

  it('goes at the end of the turn, so that a head, a body and its end share a message', async () => {
    const lane = outbox.createLane(nobody);
    lane.push({ type: FRAME_TYPE.httpResponse, streamId: 1, bytes: new Uint8Array(20), isUrgent: true });
    body(lane, 100);
    end(lane);
    expect(channel.sent).toEqual([]);
    expect(await sent()).toEqual([[20, 100, 0]]);
  });

  it('fills a message to the last byte behind a head', async () => {
    const lane = outbox.createLane(nobody);
    lane.push({ type: FRAME_TYPE.httpResponse, streamId: 1, bytes: new Uint8Array(20), isUrgent: true });
    body(lane, 200_000);
    await settle();
    expect(channel.sent[0]?.length).toBe(65_536);
  });

  it.each([
    { before: 49_133, second: [49_133, 16_384] },
    { before: 49_134, second: [49_134] },
  ])(
    'is cut to fill a message only where 16 KiB or more are left, behind $before bytes',
    async ({ before, second }) => {
      const lane = outbox.createLane(nobody);
      const other = outbox.createLane(nobody);
      body(lane, 100_000, { isUrgent: true });
      body(other, before, { isUrgent: true });
      expect((await sent()).slice(0, 2)).toEqual([[MAX_PAYLOAD_BYTES], second]);
    },
  );

  it('packs at most 32 frames into a message', async () => {
    for (let count = 0; count < 33; count += 1) end(outbox.createLane(nobody));
    const plaintexts = await sent();
    expect(plaintexts.map((frames) => frames.length)).toEqual([32, 1]);
  });

  it('does not wait for a channel that has room, and waits for one that has none', async () => {
    channel.pendingBytes = defaultTunnelLimits.channelHighWaterBytes;
    const lane = outbox.createLane(nobody);
    end(lane);
    expect(await sent()).toEqual([]);
    channel.pendingBytes -= 1;
    outbox.pump();
    expect(await sent()).toEqual([[0]]);
  });
});
