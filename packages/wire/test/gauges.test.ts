import { describe, expect, it } from 'vitest';
import { closeBody, patternBytes, clientFrame } from './support/client-frames.ts';
import { bindEnds, openScriptedPair, settle } from './support/scripted-pair.ts';
import type { Leg, ScriptedPair } from './support/scripted-pair.ts';
import { createTestContext } from './support/test-context.ts';
import type { TestContext } from './support/test-context.ts';

/** What a pair is in the middle of when its end comes. */
const STATES: Readonly<Record<string, (pair: ScriptedPair) => void>> = {
  'nothing under way': () => {},
  'both queues full and both sources paused': ({ source, target }) => {
    for (const [from, to] of [
      [source, target],
      [target, source],
    ] as const) {
      to.block();
      for (let i = 0; i < 6; i++) from.send({ opcode: 2, payload: patternBytes(5000) });
    }
  },
  'half a frame read': ({ source, target }) => {
    target.block();
    source.peer.receive(clientFrame({ opcode: 2, payload: patternBytes(9000) }).subarray(0, 5000));
    source.peer.receive(patternBytes(100));
  },
  'half a header read': ({ source }) => source.peer.receive(Buffer.of(0x82)),
  'a pong waiting behind data': ({ source, target }) => {
    target.block();
    source.send({ opcode: 2, payload: patternBytes(5000) });
    target.send({ opcode: 9, payload: 'answer me' });
  },
  'the share of a turn used up': ({ source, target }) => {
    source.send({ opcode: 2, payload: patternBytes(60_000) });
    target.send({ opcode: 2, payload: patternBytes(60_000) });
  },
  'a close frame of ours behind data': ({ source, target }) => {
    target.block();
    source.send({ opcode: 2, payload: patternBytes(5000) });
    target.wire.close(1012, 'stopping');
    source.wire.close(1012, 'stopping');
  },
};

/** How the end comes to the source leg. */
const ENDS: Readonly<Record<string, (leg: Leg, test: TestContext) => void>> = {
  'its peer closes': (leg) => leg.send({ opcode: 8, payload: closeBody(1000) }),
  'its peer breaks the protocol': (leg) => leg.send({ opcode: 15 }),
  'its peer ends TCP': (leg) => leg.peer.receiveEnd(),
  'its peer resets TCP': (leg) => leg.peer.destroy(new Error('ECONNRESET')),
  'it is closed': (leg) => leg.wire.close(1012, 'stopping'),
  'it is terminated': (leg) => leg.wire.terminate(),
  'its time runs out': (_leg, test) => test.clock.advance(100_000),
};

/** How peers behave from then on. */
const PEERS: Readonly<Record<string, (legs: readonly Leg[]) => void>> = {
  'peers that take everything and end': (legs) => {
    for (const { peer } of legs) {
      peer.drainAll();
      if (!peer.readableEnded && !peer.destroyed) peer.receiveEnd();
    }
  },
  'peers that never do anything': () => {},
};

const cases = Object.keys(STATES).flatMap((state) =>
  Object.keys(ENDS).flatMap((end) => Object.keys(PEERS).map((peers) => ({ state, end, peers }))),
);

describe('nothing is left behind', () => {
  it.each(cases)('with $state when $end, by $peers', async ({ state, end, peers }) => {
    const test = createTestContext({
      limits: { highWaterBytes: 20_000, lowWaterBytes: 10_000, quantumBytes: 50_000 },
    });
    const pair = await openScriptedPair(test);
    bindEnds(pair);
    const legs = [pair.source, pair.target];
    STATES[state]?.(pair);
    await settle();
    ENDS[end]?.(pair.source, test);
    await settle();
    PEERS[peers]?.(legs);
    for (let i = 0; i < 3; i++) {
      test.turns.runAll();
      await settle();
    }
    // An owner that hears of nothing closes what it has: a relay that stops does.
    for (const { wire } of legs) wire.close(1012, 'stopping');
    test.clock.advance(20_000);
    await settle();
    test.turns.runAll();
    await settle();
    expect(legs.map(({ heard }) => heard.goneCount)).toEqual([1, 1]);
    expect(legs.every(({ heard }) => heard.ends.length <= 1)).toBe(true);
    expect(legs.map(({ wire }) => wire.waitingBytes)).toEqual([0, 0]);
    expect(pair.source.owner.usedBytes).toBe(0);
    expect(test.context.budget.usedBytes).toBe(0);
    expect(test.context.pausedSources.size).toBe(0);
    expect(test.clock.pendingTimers).toBe(0);
    expect(test.turns.pending).toBe(0);
    expect(legs.every(({ peer }) => peer.destroyed)).toBe(true);
  });
});
