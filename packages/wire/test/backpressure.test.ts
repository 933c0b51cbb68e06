import { describe, expect, it } from 'vitest';
import { BudgetAccount, splice } from '../src/index.ts';
import type { WireLimits } from '../src/index.ts';
import { patternBytes } from './support/client-frames.ts';
import { bindEnds, Leg, openScriptedPair, settle } from './support/scripted-pair.ts';
import { createTestContext } from './support/test-context.ts';
import type { TestContext } from './support/test-context.ts';

/** Frames that come out with this many bytes, large enough to be queued one by one. */
const FRAME_BYTES = 2500;
const HEADER_BYTES = 4;

const LIMITS: Partial<WireLimits> = {
  highWaterBytes: 10 * FRAME_BYTES,
  lowWaterBytes: 4 * FRAME_BYTES,
  quantumBytes: FRAME_BYTES,
};

function sendFrame(leg: Leg, bytes = FRAME_BYTES): void {
  leg.send({ opcode: 2, payload: patternBytes(bytes - HEADER_BYTES) });
}

function isRead(leg: Leg): boolean {
  return !leg.peer.isPaused();
}

/** The peer takes one batch of what waits for it. */
function takeBatch(leg: Leg): void {
  leg.peer.drain();
}

describe('the watermarks of a pair', () => {
  it('pause the source when as much waits as the high one allows, and not one byte earlier', async () => {
    const test = createTestContext({ limits: LIMITS });
    const { source, target } = await openScriptedPair(test);
    target.block();
    for (let i = 0; i < 9; i++) sendFrame(source);
    sendFrame(source, FRAME_BYTES - 1);
    expect(target.wire.waitingBytes).toBe(10 * FRAME_BYTES - 1);
    expect(isRead(source)).toBe(true);
    expect(test.context.pausedSources.size).toBe(0);

    const other = await openScriptedPair(test);
    other.target.block();
    for (let i = 0; i < 10; i++) sendFrame(other.source);
    expect(other.target.wire.waitingBytes).toBe(10 * FRAME_BYTES);
    expect(isRead(other.source)).toBe(false);
    expect(test.context.pausedSources.size).toBe(1);
    expect(isRead(other.target)).toBe(true);
  });

  it('resume the source when no more waits than the low one allows, and not earlier', async () => {
    const test = createTestContext({ limits: LIMITS });
    const { source, target } = await openScriptedPair(test);
    target.block();
    for (let i = 0; i < 10; i++) sendFrame(source);
    for (let i = 0; i < 5; i++) takeBatch(target);
    expect(target.wire.waitingBytes).toBe(5 * FRAME_BYTES);
    expect(isRead(source)).toBe(false);
    takeBatch(target);
    expect(target.wire.waitingBytes).toBe(4 * FRAME_BYTES);
    expect(isRead(source)).toBe(true);
    expect(test.context.pausedSources.size).toBe(0);
  });

  it('are kept per direction', async () => {
    const { source, target } = await openScriptedPair(createTestContext({ limits: LIMITS }));
    target.block();
    for (let i = 0; i < 10; i++) sendFrame(source);
    for (let i = 0; i < 30; i++) sendFrame(target);
    await settle();
    expect(isRead(source)).toBe(false);
    expect(isRead(target)).toBe(true);
    expect(source.received().messages).toHaveLength(30);
  });

  it('lose nothing over many pauses', async () => {
    const test = createTestContext({ limits: LIMITS });
    const { source, target } = await openScriptedPair(test);
    target.block();
    for (let i = 0; i < 60; i++) sendFrame(source, 2500 + i);
    while (target.peer.drain() > 0) {
      await settle();
      expect(target.wire.waitingBytes).toBeLessThan(10 * FRAME_BYTES + 65_536);
    }
    expect(target.received().messages.map(({ payload }) => payload.length)).toEqual(
      Array.from({ length: 60 }, (_, i) => 2500 + i - HEADER_BYTES),
    );
    expect(test.context.budget.usedBytes).toBe(0);
  });

  it('never pause a source whose receiver takes everything at once', async () => {
    const test = createTestContext({ limits: { ...LIMITS, highWaterBytes: 1, lowWaterBytes: 0 } });
    const { source, target } = await openScriptedPair(test);
    for (let i = 0; i < 20; i++) sendFrame(source);
    await settle();
    expect(isRead(source)).toBe(true);
    expect(target.received().messages).toHaveLength(20);
  });
});

describe('the byte budget of a relay', () => {
  it('counts what waits, in both directions and for every pair', async () => {
    const test = createTestContext();
    const one = await openScriptedPair(test);
    const two = await openScriptedPair(test);
    for (const leg of [one.source, one.target, two.target]) leg.block();
    sendFrame(one.source);
    sendFrame(one.target);
    sendFrame(two.source);
    expect(one.source.owner.usedBytes).toBe(2 * FRAME_BYTES);
    expect(two.source.owner.usedBytes).toBe(FRAME_BYTES);
    expect(test.context.budget.usedBytes).toBe(3 * FRAME_BYTES);
    one.target.peer.drainAll();
    expect(test.context.budget.usedBytes).toBe(2 * FRAME_BYTES);
    one.source.peer.drainAll();
    two.target.peer.drainAll();
    expect(test.context.budget.usedBytes).toBe(0);
  });

  it('pauses a source whose owner holds an eighth of what is free, and resumes it when others let go', async () => {
    const test = createTestContext({ limits: LIMITS, budgetBytes: 36 * FRAME_BYTES });
    const { source, target } = await openScriptedPair(test);
    target.block();
    for (let i = 0; i < 3; i++) sendFrame(source);
    expect(isRead(source)).toBe(true);
    sendFrame(source);
    expect(isRead(source)).toBe(false);
    takeBatch(target);
    expect(isRead(source)).toBe(true);
  });

  it('holds up the owner that holds most and not the others', async () => {
    const test = createTestContext({ limits: LIMITS, budgetBytes: 144 * FRAME_BYTES });
    const greedyOwner = test.context.budget.createOwner();
    const greedy = [
      await openScriptedPair(test, greedyOwner),
      await openScriptedPair(test, greedyOwner),
      await openScriptedPair(test, greedyOwner),
    ];
    for (let round = 0; round < 9; round++) {
      for (const { source, target } of greedy) {
        target.block();
        if (isRead(source)) sendFrame(source);
      }
    }
    expect(greedy.map(({ source }) => isRead(source))).toEqual([false, false, false]);
    const modest = await openScriptedPair(test);
    modest.target.block();
    sendFrame(modest.source);
    sendFrame(modest.source);
    expect(isRead(modest.source)).toBe(true);
    modest.target.peer.drainAll();
    for (let i = 0; i < 50; i++) sendFrame(modest.source);
    await settle();
    expect(modest.target.received().messages).toHaveLength(52);
    expect(isRead(modest.source)).toBe(true);
  });

  it('never stops a pair whose receiver keeps up, even when nothing is free', async () => {
    const test = createTestContext({ limits: LIMITS, budgetBytes: 1000 });
    const hoard = new BudgetAccount(test.context.budget.createOwner());
    hoard.set(5000);
    const { source, target } = await openScriptedPair(test);
    for (let i = 0; i < 20; i++) sendFrame(source);
    await settle();
    expect(target.received().messages).toHaveLength(20);
    target.block();
    sendFrame(source);
    expect(isRead(source)).toBe(false);
    target.peer.drainAll();
    await settle();
    expect(isRead(source)).toBe(true);
    hoard.set(0);
    expect(test.context.budget.usedBytes).toBe(0);
  });
});

/** A source that is held, and the target that comes later. */
function openHeld(test: TestContext): { source: Leg; target: Leg } {
  const source = new Leg(test);
  source.wire.hold();
  source.wire.start(Buffer.alloc(0));
  return { source, target: new Leg(test, source.owner) };
}

describe('messages held for a target to come', () => {
  it('come first, in order, and count until they are taken', async () => {
    const test = createTestContext({ limits: LIMITS });
    const { source, target } = openHeld(test);
    await settle();
    source.send({ opcode: 1, payload: 'one' }, { opcode: 9, payload: 'pinged' });
    source.send({ opcode: 1, payload: 'two' });
    await settle();
    expect(source.pongs()).toEqual(['pinged']);
    expect(source.owner.usedBytes).toBe(10);
    target.block();
    splice(source.wire, target.wire);
    target.wire.start(Buffer.alloc(0));
    source.send({ opcode: 1, payload: 'three' });
    expect(test.context.budget.usedBytes).toBe(17);
    target.peer.drainAll();
    test.turns.runAll();
    expect(target.texts()).toEqual(['one', 'two', 'three']);
    expect(test.context.budget.usedBytes).toBe(0);
  });

  it('pause the source at the high-water mark, and one byte less does not', async () => {
    const test = createTestContext({ limits: LIMITS });
    const { source, target } = openHeld(test);
    await settle();
    for (let i = 0; i < 9; i++) sendFrame(source);
    sendFrame(source, FRAME_BYTES - 1);
    expect(isRead(source)).toBe(true);
    source.send({ opcode: 1, payload: '' });
    expect(isRead(source)).toBe(false);
    expect(test.context.pausedSources.size).toBe(1);
    target.wire.start(Buffer.alloc(0));
    splice(source.wire, target.wire);
    test.turns.runAll();
    await settle();
    expect(target.received().messages).toHaveLength(11);
    expect(isRead(source)).toBe(true);
    expect(test.context.pausedSources.size).toBe(0);
  });

  it('pause the source when its owner is pressed', async () => {
    const test = createTestContext({ limits: LIMITS, budgetBytes: 18 * FRAME_BYTES });
    const { source } = openHeld(test);
    await settle();
    sendFrame(source);
    expect(isRead(source)).toBe(true);
    sendFrame(source);
    expect(isRead(source)).toBe(false);
  });

  it('keep the source paused while the target is full', async () => {
    const test = createTestContext({ limits: LIMITS });
    const { source, target } = openHeld(test);
    await settle();
    for (let i = 0; i < 12; i++) sendFrame(source);
    await settle();
    target.block();
    splice(source.wire, target.wire);
    target.wire.start(Buffer.alloc(0));
    expect(isRead(source)).toBe(false);
    while (target.peer.drain() > 0) await settle();
    expect(target.received().messages).toHaveLength(12);
    expect(isRead(source)).toBe(true);
    expect(test.context.budget.usedBytes).toBe(0);
  });

  it('go when their source goes', async () => {
    const test = createTestContext({ limits: LIMITS });
    const { source } = openHeld(test);
    await settle();
    for (let i = 0; i < 12; i++) sendFrame(source);
    source.peer.destroy();
    await settle();
    expect(source.heard.goneCount).toBe(1);
    expect(test.context.budget.usedBytes).toBe(0);
    expect(test.context.pausedSources.size).toBe(0);
  });

  it('are dropped when their source is closed', async () => {
    const test = createTestContext({ limits: LIMITS });
    const { source } = openHeld(test);
    await settle();
    for (let i = 0; i < 12; i++) sendFrame(source);
    source.wire.close(4008, 'nobody came');
    expect(test.context.budget.usedBytes).toBe(0);
    expect(isRead(source)).toBe(true);
    source.send({ opcode: 8 });
    source.peer.receiveEnd();
    await settle();
    expect(source.heard.goneCount).toBe(1);
  });
});

describe('the quantum of a turn', () => {
  it('bounds what a source is read, and the next turn goes on', async () => {
    const test = createTestContext({ limits: { quantumBytes: 100_000 } });
    const { source, target } = await openScriptedPair(test);
    const read = (): number => source.wire.receivedBytes;
    // Frames of 65536 bytes: reads that fill their buffer.
    for (let i = 0; i < 8; i++) source.send({ opcode: 2, payload: Buffer.alloc(65_536 - 8) });
    await settle();
    expect(read()).toBe(2 * 65_536);
    expect(source.peer.isPaused()).toBe(true);
    // Its own share of a turn is not a full receiver.
    expect(test.context.pausedSources.size).toBe(0);
    test.turns.run();
    await settle();
    expect(read()).toBe(4 * 65_536);
    while (test.turns.pending > 0) {
      test.turns.run();
      await settle();
    }
    expect(target.received().messages).toHaveLength(8);
    expect(isRead(source)).toBe(true);
  });

  it('and a full receiver each keep a source paused on their own', async () => {
    const limits = { quantumBytes: 60_000, highWaterBytes: 50_000, lowWaterBytes: 0 };
    const frame = { opcode: 2, payload: Buffer.alloc(65_536 - 8) };
    const test = createTestContext({ limits });
    const { source, target } = await openScriptedPair(test);
    target.block();
    source.send(frame);
    expect(test.turns.pending).toBe(1);
    test.turns.run();
    expect(isRead(source)).toBe(false);
    target.peer.drainAll();
    expect(isRead(source)).toBe(true);

    target.block();
    await settle();
    source.send(frame);
    target.peer.drainAll();
    expect(isRead(source)).toBe(false);
    test.turns.run();
    expect(isRead(source)).toBe(true);
  });

  it('bounds what is sent of a queue, and the next turn goes on', async () => {
    const test = createTestContext({ limits: { quantumBytes: 3 * FRAME_BYTES } });
    const { source, target } = await openScriptedPair(test);
    target.block();
    for (let i = 0; i < 10; i++) sendFrame(source);
    target.peer.roomBytes = 1e9;
    takeBatch(target);
    // What was in flight, and one batch behind it.
    expect(target.received().messages).toHaveLength(4);
    test.turns.run();
    expect(target.received().messages).toHaveLength(7);
    test.turns.run();
    expect(target.received().messages).toHaveLength(10);
    expect(test.turns.pending).toBe(0);
  });

  it('lets what comes meanwhile queue behind it, in order', async () => {
    const test = createTestContext({ limits: { quantumBytes: FRAME_BYTES } });
    const { source, target } = await openScriptedPair(test);
    target.block();
    for (let i = 0; i < 4; i++) sendFrame(source, 2500 + i);
    target.peer.roomBytes = 1e9;
    takeBatch(target);
    for (let i = 4; i < 8; i++) sendFrame(source, 2500 + i);
    test.turns.runAll();
    expect(target.received().messages.map(({ payload }) => payload.length + HEADER_BYTES)).toEqual(
      Array.from({ length: 8 }, (_, i) => 2500 + i),
    );
  });

  it('does not outlive its socket', async () => {
    const test = createTestContext({ limits: { quantumBytes: 60_000 } });
    const pair = await openScriptedPair(test);
    bindEnds(pair);
    const { source, target } = pair;
    source.send({ opcode: 2, payload: Buffer.alloc(100_000) });
    expect(test.turns.pending).toBe(1);
    source.peer.destroy();
    target.peer.destroy();
    await settle();
    test.turns.runAll();
    await settle();
    expect(source.heard.goneCount + target.heard.goneCount).toBe(2);
    expect(test.context.budget.usedBytes).toBe(0);
  });
});
