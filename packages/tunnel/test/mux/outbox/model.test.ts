import assert from 'node:assert/strict';
import { FakeClock } from '@openchambery/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FRAME_TYPE } from '../../../src/index.ts';
import type { Lane } from '../../../src/mux/outbox/lane.ts';
import { Outbox } from '../../../src/mux/outbox/outbox.ts';
import { defaultTunnelLimits, PIECE_COST_BYTES } from '../../../src/mux/tunnel-limits.ts';
import { ScriptedChannel } from '../support/scripted-channel.ts';

const LIMITS = {
  ...defaultTunnelLimits,
  streamHighWaterBytes: 200_000,
  totalHighWaterBytes: 500_000,
  channelHighWaterBytes: 100_000,
};
const LANES = 6;
const MAX_CHUNK = 90_000;

/** A stream that writes when it may, as a well-behaved program does. */
interface Writer {
  readonly lane: Lane;
  readonly streamId: number;
  readonly isSocket: boolean;
  mayWrite: boolean;
  isDone: boolean;
  /** Every byte is a function of its place, so that order is seen. */
  written: number;
  received: number;
  /** Bytes of the message that is being received, and lengths of those that were sent. */
  partial: number;
  readonly messages: number[];
}

type Step =
  | { readonly name: 'write'; readonly at: number; readonly byteLength: number; readonly isUrgent: boolean }
  | { readonly name: 'end' | 'drop' | 'awaitRelief'; readonly at: number }
  | { readonly name: 'wait'; readonly ms: number }
  | { readonly name: 'drain' };

const at = fc.nat(LANES - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      name: fc.constant('write' as const),
      at,
      byteLength: fc.oneof(fc.nat(40), fc.nat(30_000), fc.nat(MAX_CHUNK)),
      isUrgent: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ name: fc.constantFrom('end' as const, 'drop' as const), at }) },
  { weight: 2, arbitrary: fc.record({ name: fc.constant('awaitRelief' as const), at }) },
  { weight: 3, arbitrary: fc.record({ name: fc.constant('wait' as const), ms: fc.nat(200) }) },
  { weight: 5, arbitrary: fc.constant({ name: 'drain' as const }) },
);

class World {
  readonly clock = new FakeClock();
  readonly outbox = new Outbox({ clock: this.clock, limits: LIMITS });
  readonly channel: ScriptedChannel;
  readonly writers: Writer[];

  constructor(isBatching: boolean) {
    this.channel = new ScriptedChannel({ isBatching });
    this.channel.isFilling = true;
    this.outbox.open(this.channel, { isBatching });
    this.writers = Array.from({ length: LANES }, (_, index) => this.#createWriter(index));
  }

  #createWriter(index: number): Writer {
    const writer: Writer = {
      lane: this.outbox.createLane(() => {
        writer.mayWrite = true;
      }),
      streamId: index * 2 + 1,
      isSocket: index % 2 === 1,
      mayWrite: true,
      isDone: false,
      written: 0,
      received: 0,
      partial: 0,
      messages: [],
    };
    return writer;
  }

  async run(next: Step): Promise<void> {
    if (next.name === 'wait') this.clock.advance(next.ms);
    else if (next.name === 'drain') this.drain();
    else {
      const writer = this.writers[next.at];
      if (writer !== undefined && !writer.isDone) this.#act(writer, next);
    }
    // Writes of one turn go together; now and then the turn ends.
    if (next.name !== 'write' || next.byteLength % 3 === 0) await Promise.resolve();
    this.check();
  }

  #act(writer: Writer, next: Extract<Step, { readonly at: number }>): void {
    switch (next.name) {
      case 'write':
        if (writer.mayWrite) this.#write(writer, next);
        return;
      case 'awaitRelief':
        if (writer.lane.isFull) {
          writer.mayWrite = false;
          writer.lane.awaitRelief();
        }
        return;
      case 'end':
        writer.isDone = true;
        writer.lane.push({
          type: FRAME_TYPE.streamEnd,
          streamId: writer.streamId,
          bytes: new Uint8Array(0),
          isUrgent: true,
        });
        return writer.lane.finish();
      case 'drop':
        writer.isDone = true;
        writer.received = Number.NaN;
        writer.lane.drop();
        return writer.lane.finish();
    }
  }

  #write(writer: Writer, { byteLength, isUrgent }: { byteLength: number; isUrgent: boolean }): void {
    if (byteLength === 0 && !writer.isSocket) return;
    const bytes = new Uint8Array(byteLength);
    for (let index = 0; index < byteLength; index += 1) bytes[index] = (writer.written + index) % 251;
    writer.written += byteLength;
    if (writer.isSocket) writer.messages.push(byteLength);
    const type = writer.isSocket ? FRAME_TYPE.wsBinary : FRAME_TYPE.httpBody;
    writer.mayWrite = writer.lane.push({
      type,
      streamId: writer.streamId,
      bytes,
      isUrgent: isUrgent || writer.isSocket,
    });
  }

  drain(): void {
    for (const frame of this.channel.takeFrames()) {
      const writer = this.writers.find(({ streamId }) => streamId === frame.streamId);
      if (writer === undefined || Number.isNaN(writer.received)) continue;
      // Looking at each byte would take most of the time.
      for (let index = 0; index < frame.payload.length; index += 97) {
        if (frame.payload[index] !== (writer.received + index) % 251) throw new Error('bytes out of order');
      }
      writer.received += frame.payload.length;
      if (frame.type !== FRAME_TYPE.wsBinary) continue;
      writer.partial += frame.payload.length;
      if (frame.hasMore) continue;
      assert.equal(writer.partial, writer.messages.shift());
      writer.partial = 0;
    }
    this.channel.drain();
    this.outbox.pump();
  }

  check(): void {
    const { load } = this.outbox;
    assert.ok(load.cost <= LIMITS.totalHighWaterBytes + LANES * (MAX_CHUNK + 2 * PIECE_COST_BYTES));
    const sum = this.writers.reduce((total, { lane }) => total + lane.bytes, 0);
    assert.equal(load.bytes, sum);
    for (const { lane } of this.writers) {
      assert.ok(lane.bytes <= LIMITS.streamHighWaterBytes + MAX_CHUNK);
    }
    assert.ok(this.channel.pendingBytes <= LIMITS.channelHighWaterBytes + 65_536);
  }
}

it('brings every byte in order, whatever the schedule, holds its bounds, and is empty at the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(step, { minLength: 30, maxLength: 150 }),
      async (isBatching, steps) => {
        const world = new World(isBatching);
        for (const next of steps) await world.run(next);
        // Now the channel takes everything, and time passes: no more than it needs.
        for (let round = 0; round < 400 && world.outbox.load.lanes > 0; round += 1) {
          await Promise.resolve();
          world.drain();
          if (round % 4 === 3) world.clock.advance(150);
        }
        await Promise.resolve();
        world.drain();
        const { load } = world.outbox;
        expect(load).toMatchObject({ bytes: 0, pieces: 0, urgentPieces: 0, lanes: 0, finishedLanes: 0 });
        for (const writer of world.writers) {
          if (Number.isNaN(writer.received)) continue;
          expect(writer.received).toBe(writer.written);
          expect(writer.isDone || writer.mayWrite).toBe(true);
        }
        world.clock.advance(1_000);
        expect(world.clock.pendingTimers).toBe(0);
      },
    ),
    { numRuns: 60 },
  );
});

it('tells all who wait for room, in the order they came and no more at a time than there is room for', async () => {
  const limits = { ...LIMITS, totalHighWaterBytes: 300_000 };
  const outbox = new Outbox({ clock: new FakeClock(), limits });
  const channel = new ScriptedChannel();
  channel.isFilling = true;
  channel.pendingBytes = 100_000;
  outbox.open(channel, { isBatching: false });
  const told: number[] = [];
  const push = (lane: Lane, streamId: number, byteLength: number): boolean =>
    lane.push({ type: FRAME_TYPE.wsBinary, streamId, bytes: new Uint8Array(byteLength), isUrgent: true });
  const bulk = [1, 3].map((streamId) => {
    const lane = outbox.createLane(() => told.push(streamId));
    return push(lane, streamId, 190_000);
  });
  expect(bulk).toEqual([true, false]);
  for (let streamId = 5; streamId < 25; streamId += 2) {
    const lane = outbox.createLane(() => told.push(streamId));
    expect(push(lane, streamId, 10)).toBe(false);
  }
  await Promise.resolve();
  expect(told).toEqual([]);
  channel.drain();
  outbox.pump();
  const room = limits.totalHighWaterBytes - outbox.load.cost;
  expect(room).toBeGreaterThan(0);
  expect(told).toEqual([5, 7, 9, 11].slice(0, Math.ceil(room / 65_536)));
  while (outbox.load.cost > 0) {
    channel.drain();
    outbox.pump();
  }
  expect(told.toSorted((one, other) => one - other)).toEqual([3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23]);
});

it('tells who waits for room when somebody drops what took it', async () => {
  const outbox = new Outbox({ clock: new FakeClock(), limits: { ...LIMITS, totalHighWaterBytes: 100_000 } });
  const channel = new ScriptedChannel();
  channel.pendingBytes = LIMITS.channelHighWaterBytes;
  outbox.open(channel, { isBatching: false });
  const told: string[] = [];
  const big = outbox.createLane(() => told.push('big'));
  const small = outbox.createLane(() => told.push('small'));
  const piece = { type: FRAME_TYPE.httpBody, streamId: 1, isUrgent: true };
  big.push({ ...piece, bytes: new Uint8Array(100_000) });
  expect(small.push({ ...piece, bytes: new Uint8Array(1) })).toBe(false);
  await Promise.resolve();
  expect(told).toEqual([]);
  big.drop();
  await Promise.resolve();
  expect(told).toContain('small');
});

it.each([
  { what: 'room', totalHighWaterBytes: 4 * 1024 * 1024 },
  { what: 'no room', totalHighWaterBytes: 1 },
])(
  'keeps no lanes that come and go while nothing can be sent, with $what',
  async ({ totalHighWaterBytes }) => {
    const outbox = new Outbox({ clock: new FakeClock(), limits: { ...LIMITS, totalHighWaterBytes } });
    const channel = new ScriptedChannel();
    channel.pendingBytes = LIMITS.channelHighWaterBytes;
    outbox.open(channel, { isBatching: false });
    const piece = { type: FRAME_TYPE.httpResponse, streamId: 1, isUrgent: true, bytes: new Uint8Array(10) };
    const alive = Array.from({ length: 10 }, () => outbox.createLane(() => undefined));
    for (const lane of alive) lane.push(piece);
    for (let count = 0; count < 5_000; count += 1) {
      const lane = outbox.createLane(() => undefined);
      lane.push(piece);
      lane.finish();
      lane.drop();
      expect(outbox.listedLanes).toBeLessThan(200);
    }
    // Those that are alive have kept their places.
    await Promise.resolve();
    channel.drain();
    outbox.pump();
    expect(channel.takeFrames().length).toBe(alive.length);
    expect(outbox.listedLanes).toBe(0);
  },
);
