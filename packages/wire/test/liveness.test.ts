import { describe, expect, it } from 'vitest';
import { patternBytes } from './support/client-frames.ts';
import { Leg, openScriptedPair, settle } from './support/scripted-pair.ts';
import { createTestContext, WIDE_LIMITS } from './support/test-context.ts';
import type { TestContext } from './support/test-context.ts';

const { stallMs } = WIDE_LIMITS;
/** A stall is reported within this factor of the stall time. */
const LATEST = 1.25;

async function openLeg(test: TestContext): Promise<Leg> {
  const leg = new Leg(test);
  leg.wire.start(Buffer.alloc(0));
  await settle();
  return leg;
}

/** A receiver for whom `bytes` wait. */
async function openBlocked(test: TestContext, bytes = 10_000): Promise<{ source: Leg; target: Leg }> {
  const pair = await openScriptedPair(test);
  pair.target.block();
  pair.source.send({ opcode: 2, payload: patternBytes(bytes) });
  return pair;
}

const BATCH_BYTES = 40_000;

/**
 * A receiver that takes all it is given, at once, and whose queue is never empty: each call is a turn in which as
 * much comes as goes.
 */
async function openFlow(test: TestContext): Promise<(() => void) & { readonly target: Leg }> {
  const { source, target } = await openScriptedPair(test);
  const sendBatch = (): void => source.send({ opcode: 2, payload: patternBytes(BATCH_BYTES - 4) });
  target.block();
  for (let i = 0; i < 20; i++) sendBatch();
  target.peer.roomBytes = Number.POSITIVE_INFINITY;
  target.peer.drain();
  const turn = (): void => {
    const { sentBytes } = target.wire;
    test.turns.run();
    expect(target.wire.sentBytes).toBeGreaterThan(sentBytes);
    expect(target.wire.waitingBytes).toBeGreaterThan(0);
    for (let come = 0; come < target.wire.sentBytes - sentBytes; come += BATCH_BYTES) sendBatch();
  };
  return Object.assign(turn, { target });
}

describe('a receiver for whom data waits', () => {
  it('is reported once when it has taken nothing for the stall time', async () => {
    const test = createTestContext();
    const { source, target } = await openBlocked(test);
    test.clock.advance(stallMs - 1);
    expect(target.heard.stalls).toBe(0);
    test.clock.advance(stallMs * (LATEST - 1) + 1);
    expect(target.heard.stalls).toBe(1);
    test.clock.advance(stallMs * 10);
    expect(target.heard.stalls).toBe(1);
    expect(source.heard.stalls).toBe(0);
  });

  it('is never reported while it takes one byte within each stall time', async () => {
    const test = createTestContext();
    const { target } = await openBlocked(test);
    for (let i = 0; i < 50; i++) {
      test.clock.advance(stallMs - 1);
      expect(target.peer.drain(1)).toBe(1);
    }
    expect(target.heard.stalls).toBe(0);
    expect(target.wire.waitingBytes).toBeGreaterThan(0);
    test.clock.advance(stallMs * LATEST);
    expect(target.heard.stalls).toBe(1);
  });

  it('is not reported when it takes everything in time, nor later while nothing waits', async () => {
    const test = createTestContext();
    const { source, target } = await openBlocked(test);
    test.clock.advance(stallMs - 1);
    target.peer.drainAll();
    test.clock.advance(stallMs * 3);
    expect(target.heard.stalls).toBe(0);
    expect(test.clock.pendingTimers).toBe(0);
    target.block();
    source.send({ opcode: 1, payload: 'again' });
    test.clock.advance(stallMs - 1);
    expect(target.heard.stalls).toBe(0);
    test.clock.advance(stallMs * (LATEST - 1) + 1);
    expect(target.heard.stalls).toBe(1);
  });

  it('has the whole stall time for what comes while a look is still due', async () => {
    const test = createTestContext();
    const { source, target } = await openBlocked(test);
    test.clock.advance(stallMs / 8);
    target.peer.drainAll();
    test.clock.advance(1);
    target.block();
    source.send({ opcode: 1, payload: 'again' });
    test.clock.advance(stallMs - 1);
    expect(target.heard.stalls).toBe(0);
    test.clock.advance(stallMs * (LATEST - 1) + 1);
    expect(target.heard.stalls).toBe(1);
  });

  it('is not reported because its source sends more', async () => {
    const test = createTestContext();
    const { source, target } = await openBlocked(test);
    for (let i = 0; i < 5; i++) {
      test.clock.advance(stallMs / 4);
      source.send({ opcode: 1, payload: 'more' });
    }
    expect(target.heard.stalls).toBe(1);
  });

  it('is not reported while it takes a batch in each turn and its source fills up as fast', async () => {
    const test = createTestContext({ limits: { quantumBytes: BATCH_BYTES } });
    const flow = await openFlow(test);
    for (let i = 0; i < 10; i++) {
      test.clock.advance(stallMs / 2);
      flow();
    }
    expect(flow.target.heard.stalls).toBe(0);
  });

  it('is left to the deadline once it is being closed', async () => {
    const test = createTestContext({ limits: { closeDeadlineMs: stallMs * 5 } });
    const { target } = await openBlocked(test);
    target.wire.close(1012, 'stopping');
    test.clock.advance(stallMs * 4);
    expect(target.heard.stalls).toBe(0);
    test.clock.advance(stallMs);
    await settle();
    expect(target.heard.goneCount).toBe(1);
    expect(test.clock.pendingTimers).toBe(0);
  });

  it('leaves no timer behind when it goes', async () => {
    const test = createTestContext();
    const { source, target } = await openBlocked(test);
    expect(test.clock.pendingTimers).toBeGreaterThan(0);
    target.wire.terminate();
    source.wire.terminate();
    await settle();
    expect(test.clock.pendingTimers).toBe(0);
  });
});

describe('probe', () => {
  it('finds a peer alive after its handshake and pings it, and silent when it says nothing', async () => {
    const leg = await openLeg(createTestContext());
    expect(leg.wire.probe()).toBe('alive');
    expect(leg.pings()).toBe(1);
    expect(leg.wire.probe()).toBe('silent');
    expect(leg.pings()).toBe(1);
  });

  it.each<[string, (leg: Leg) => void]>([
    ['a pong', (leg) => leg.send({ opcode: 10 })],
    ['a ping', (leg) => leg.send({ opcode: 9 })],
    ['a message', (leg) => leg.send({ opcode: 1, payload: 'here' })],
    ['one byte of a frame', (leg) => leg.peer.receive(Buffer.of(0x81))],
  ])('finds a peer alive that has sent %s', async (_name, act) => {
    const leg = await openLeg(createTestContext());
    leg.wire.probe();
    act(leg);
    await settle();
    expect(leg.wire.probe()).toBe('alive');
    expect(leg.wire.probe()).toBe('silent');
  });

  it('finds a peer alive that is not read because its receiver is full', async () => {
    const test = createTestContext({ limits: { highWaterBytes: 1000, lowWaterBytes: 500 } });
    const { source, target } = await openBlocked(test);
    expect(source.peer.isPaused()).toBe(true);
    for (let i = 0; i < 5; i++) expect(source.wire.probe()).toBe('alive');
    target.peer.drainAll();
    await settle();
    // It was not read until just now, so it could not be heard.
    expect(source.wire.probe()).toBe('alive');
    expect(source.wire.probe()).toBe('silent');
  });

  it('finds a peer alive that takes bytes that had to wait, were it one', async () => {
    const { target } = await openBlocked(createTestContext());
    expect(target.wire.probe()).toBe('alive');
    target.peer.drain(1);
    expect(target.wire.probe()).toBe('alive');
    expect(target.wire.probe()).toBe('silent');
  });

  it('finds a peer alive that takes a batch in each turn while its source fills up as fast', async () => {
    const test = createTestContext({ limits: { quantumBytes: BATCH_BYTES } });
    const flow = await openFlow(test);
    for (let i = 0; i < 10; i++) {
      expect(flow.target.wire.probe()).toBe('alive');
      flow();
    }
    expect(flow.target.pings()).toBe(0);
  });

  it('finds a peer silent that takes nothing of what waits', async () => {
    const { target } = await openBlocked(createTestContext());
    target.wire.probe();
    expect(target.wire.probe()).toBe('silent');
  });

  it('does not take what the kernel accepts at once for a sign of the peer', async () => {
    const { source, target } = await openScriptedPair(createTestContext());
    target.wire.probe();
    for (let i = 0; i < 5; i++) source.send({ opcode: 2, payload: Buffer.alloc(1000) });
    expect(target.received().messages).toHaveLength(5);
    expect(target.wire.probe()).toBe('silent');
  });

  it.each([
    // What the kernel took at once, and how many probes half a minute apart that gives, at 8 KiB a second.
    [200_000, 0],
    [300_000, 1],
    [1_000_000, 2],
  ])('gives a peer that was sent %i bytes %i probes to read them', async (bytes, probes) => {
    const test = createTestContext();
    const { source, target } = await openScriptedPair(test);
    target.wire.probe();
    for (let sent = 0; sent < bytes; sent += 100_000) {
      source.send({ opcode: 2, payload: Buffer.alloc(100_000) });
      await settle();
      test.turns.runAll();
      await settle();
    }
    expect(target.received().messages).toHaveLength(bytes / 100_000);
    for (let probe = 0; probe < probes; probe++) {
      test.clock.advance(30_000);
      expect(target.wire.probe()).toBe('alive');
    }
    test.clock.advance(30_000);
    expect(target.wire.probe()).toBe('silent');
  });

  it('gives no time for what is read before the next probe even so', async () => {
    const test = createTestContext();
    const { source, target } = await openScriptedPair(test);
    target.wire.probe();
    source.send({ opcode: 2, payload: Buffer.alloc(60_000) });
    test.clock.advance(30_000);
    expect(target.wire.probe()).toBe('silent');
  });

  it('sends no ping behind data that waits', async () => {
    const { target } = await openBlocked(createTestContext());
    expect(target.wire.probe()).toBe('alive');
    target.peer.drainAll();
    expect(target.pings()).toBe(0);
    expect(target.received().messages).toHaveLength(1);
  });

  it('leaves a closing socket to its deadline', async () => {
    const leg = await openLeg(createTestContext());
    leg.wire.close(1012, 'stopping');
    for (let i = 0; i < 3; i++) expect(leg.wire.probe()).toBe('alive');
    expect(leg.pings()).toBe(0);
  });

  it('puts its ping between the frames of a message that is under way', async () => {
    const { source, target } = await openScriptedPair(createTestContext());
    source.send({ opcode: 1, fin: false, payload: 'half' });
    target.wire.probe();
    source.send({ opcode: 0, payload: ' and half' });
    expect(target.pings()).toBe(1);
    expect(target.texts()).toEqual(['half and half']);
  });
});

describe('pings of a peer', () => {
  it('are answered with their payload', async () => {
    const leg = await openLeg(createTestContext());
    leg.send({ opcode: 9, payload: 'x'.repeat(125) });
    leg.send({ opcode: 9 });
    await settle();
    expect(leg.pongs()).toEqual(['x'.repeat(125), '']);
  });

  it('are answered between the fragments of messages in either direction', async () => {
    const { source, target } = await openScriptedPair(createTestContext());
    source.send({ opcode: 1, fin: false, payload: 'a' });
    target.send({ opcode: 1, fin: false, payload: 'x' });
    source.send({ opcode: 9, payload: 'between' });
    source.send({ opcode: 0, payload: 'b' });
    target.send({ opcode: 0, payload: 'y' });
    await settle();
    expect(source.pongs()).toEqual(['between']);
    expect(target.texts()).toEqual(['ab']);
    expect(source.texts()).toEqual(['xy']);
  });

  it('are answered by one pong, the last, while data waits', async () => {
    const { target } = await openBlocked(createTestContext());
    for (let i = 0; i < 1000; i++) target.send({ opcode: 9, payload: `ping ${i}` });
    await settle();
    target.peer.drainAll();
    await settle();
    expect(target.pongs()).toEqual(['ping 999']);
    expect(target.received().messages).toHaveLength(1);
  });

  it('cost a bounded queue when the peer floods and takes nothing', async () => {
    const test = createTestContext();
    const leg = await openLeg(test);
    leg.block();
    let most = 0;
    for (let i = 0; i < 5000; i++) {
      leg.send({ opcode: 9, payload: Buffer.alloc(125) });
      most = Math.max(most, leg.wire.waitingBytes);
    }
    expect(most).toBeLessThanOrEqual(127);
    expect(test.context.budget.usedBytes).toBe(leg.wire.waitingBytes);
    leg.peer.drainAll();
    await settle();
    expect(leg.pongs().length).toBeLessThanOrEqual(2);
    expect(leg.pongs().length).toBeGreaterThan(0);
  });

  it('are answered although data never stops waiting', async () => {
    const test = createTestContext({ limits: { quantumBytes: 2500 } });
    const { source, target } = await openScriptedPair(test);
    target.block();
    for (let i = 0; i < 10; i++) source.send({ opcode: 2, payload: patternBytes(2500) });
    target.send({ opcode: 9, payload: 'anyone?' });
    for (let i = 0; i < 40 && target.pongs().length === 0; i++) {
      target.peer.drain();
      source.send({ opcode: 2, payload: patternBytes(2500) });
      expect(target.wire.waitingBytes).toBeGreaterThan(0);
    }
    expect(target.pongs()).toEqual(['anyone?']);
  });
});
