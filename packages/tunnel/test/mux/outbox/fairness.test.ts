import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { FRAME_TYPE, type FrameType, MAX_MESSAGE_BYTES, type TunnelFrame } from '../../../src/index.ts';
import type { Lane } from '../../../src/mux/outbox/lane.ts';
import { Outbox } from '../../../src/mux/outbox/outbox.ts';
import { defaultTunnelLimits } from '../../../src/mux/tunnel-limits.ts';
import { ScriptedChannel, settle } from '../support/scripted-channel.ts';

const nobody = (): void => undefined;
const SMALL = 1001;

interface World {
  readonly outbox: Outbox;
  readonly channel: ScriptedChannel;
  /** Lets the channel take one plaintext, and gives its frames. */
  readonly step: () => Promise<readonly TunnelFrame[]>;
}

/** An outbox before a channel that takes a plaintext whenever the test says so. */
async function openWorld({ isBatching }: { isBatching: boolean }): Promise<World> {
  const limits = { ...defaultTunnelLimits, channelHighWaterBytes: 1 };
  const outbox = new Outbox({ clock: new FakeClock(), limits });
  const channel = new ScriptedChannel({ isBatching });
  channel.isFilling = true;
  channel.pendingBytes = 1;
  outbox.open(channel, { isBatching });
  await settle();
  const step = async (): Promise<readonly TunnelFrame[]> => {
    channel.pendingBytes = 0;
    outbox.pump();
    await settle();
    return channel.takeFrames();
  };
  return { outbox, channel, step };
}

function push(lane: Lane, streamId: number, type: FrameType, byteLength: number): void {
  lane.push({ type, streamId, bytes: new Uint8Array(byteLength), isUrgent: type !== FRAME_TYPE.httpBody });
}

function openBulk(outbox: Outbox, count: number): Lane[] {
  return Array.from({ length: count }, (_, index) => {
    const lane = outbox.createLane(nobody);
    push(lane, index * 2 + 1, FRAME_TYPE.httpBody, 400_000);
    return lane;
  });
}

describe.each([{ isBatching: true }, { isBatching: false }])('with batching $isBatching', (form) => {
  it.each([0, 1, 7, 199, 200, 333])(
    'a small answer overtakes 200 bulk streams, after %i plaintexts of theirs',
    async (before) => {
      const { outbox, step } = await openWorld(form);
      openBulk(outbox, 200);
      for (let count = 0; count < before; count += 1) await step();
      const small = outbox.createLane(nobody);
      push(small, SMALL, FRAME_TYPE.httpResponse, 100);
      push(small, SMALL, FRAME_TYPE.httpBody, 2_000);
      push(small, SMALL, FRAME_TYPE.streamEnd, 0);
      const frames: TunnelFrame[] = [];
      while (!frames.some((frame) => frame.streamId === SMALL && frame.type === FRAME_TYPE.streamEnd)) {
        frames.push(...(await step()));
      }
      expect(frames.filter((frame) => frame.streamId !== SMALL).length).toBeLessThanOrEqual(4);
    },
  );

  it('a stream that says little again and again never waits for more than a frame or two, and does not starve bulk', async () => {
    const { outbox, step } = await openWorld(form);
    openBulk(outbox, 200);
    const chatty = outbox.createLane(nobody);
    let bulkBytes = 0;
    for (let count = 0; count < 40; count += 1) {
      push(chatty, SMALL, FRAME_TYPE.wsText, 5_000);
      let ahead = 0;
      while (chatty.pieceCount > 0) {
        const frames = await step();
        const at = frames.findIndex((frame) => frame.streamId === SMALL);
        ahead += at === -1 ? frames.length : at;
        for (const frame of frames) if (frame.streamId !== SMALL) bulkBytes += frame.payload.length;
      }
      expect(ahead).toBeLessThanOrEqual(2);
    }
    expect(bulkBytes).toBeGreaterThan(40 * 5_000 - 65_536);
  });

  it('streams that never have much to send do not starve one that has', async () => {
    const { outbox, step } = await openWorld(form);
    const [bulk] = openBulk(outbox, 1);
    if (bulk !== undefined) push(bulk, 1, FRAME_TYPE.httpBody, 4_000_000);
    const chatty = Array.from({ length: 10 }, () => outbox.createLane(nobody));
    const bytes = { bulk: 0, chatty: 0 };
    for (let round = 0; round < 60; round += 1) {
      for (const lane of chatty) if (lane.pieceCount === 0) push(lane, SMALL, FRAME_TYPE.wsBinary, 10_000);
      for (const { streamId, payload } of await step()) {
        bytes[streamId === 1 ? 'bulk' : 'chatty'] += payload.length;
      }
      expect(bytes.bulk).toBeGreaterThanOrEqual(bytes.chatty - 3 * 65_536);
    }
  });

  it('bulk streams take turns of a frame, and get the same', async () => {
    const { outbox, step } = await openWorld(form);
    openBulk(outbox, 3);
    const taken = new Map<number, number>();
    for (let count = 0; count < 9; count += 1) {
      for (const { streamId, payload } of await step()) {
        taken.set(streamId, (taken.get(streamId) ?? 0) + payload.length);
      }
    }
    const amounts = [...taken.values()];
    expect(amounts.length).toBe(3);
    expect(Math.max(...amounts) - Math.min(...amounts)).toBeLessThanOrEqual(65_536);
  });

  it('fragments of long messages of different streams interleave', async () => {
    const { outbox, step } = await openWorld(form);
    const lanes = [1, 3, 5].map((streamId) => {
      const lane = outbox.createLane(nobody);
      push(lane, streamId, FRAME_TYPE.wsBinary, MAX_MESSAGE_BYTES);
      return lane;
    });
    const order: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      for (const frame of await step()) {
        order.push(frame.streamId);
        expect(frame.hasMore).toBe(true);
      }
    }
    for (let at = 0; at + 3 <= order.length; at += 3) {
      expect(new Set(order.slice(at, at + 3)).size).toBe(3);
    }
    for (const lane of lanes) lane.drop();
    expect(outbox.load.cost).toBe(0);
  });
});

it('a message is marked as unfinished in all its fragments but the last', async () => {
  const { outbox, step } = await openWorld({ isBatching: true });
  const lane = outbox.createLane(nobody);
  push(lane, 1, FRAME_TYPE.wsText, 65_526 * 2);
  push(lane, 1, FRAME_TYPE.wsText, 65_526 + 1);
  push(lane, 1, FRAME_TYPE.wsText, 0);
  const frames: TunnelFrame[] = [];
  while (lane.pieceCount > 0) frames.push(...(await step()));
  expect(frames.map(({ hasMore, payload }) => [hasMore, payload.length])).toEqual([
    [true, 65_526],
    [false, 65_526],
    [true, 65_526],
    [false, 1],
    [false, 0],
  ]);
});

it.each([FRAME_TYPE.httpRequest, FRAME_TYPE.wsOpen])(
  'streams are opened in order, however long a head of type %i is',
  async (type) => {
    const { outbox, step } = await openWorld({ isBatching: true });
    openBulk(outbox, 2);
    const sizes = [100, 65_000, 100, 20_000, 100];
    for (const [index, size] of sizes.entries())
      push(outbox.createLane(nobody), SMALL + 2 * index, type, size);
    const opened: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      for (const frame of await step()) if (frame.type === type) opened.push(frame.streamId);
    }
    expect(opened).toEqual(sizes.map((_, index) => SMALL + 2 * index));
  },
);
