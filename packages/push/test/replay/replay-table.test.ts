import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import type { ReplayVerdict } from '../../src/binding/replay-mark.ts';
import { type StoredMark, toMarkKey } from '../../src/replay/kept-mark.ts';
import { ReplayTable } from '../../src/replay/replay-table.ts';
import { type SampleMark, sampleMark } from './sample-mark.ts';

const REPLAY_MS = 600_000;

function setUp(maxEntries = 100) {
  const clock = new FakeClock();
  const table = new ReplayTable({ clock, replayMs: REPLAY_MS, maxEntries });
  const start = clock.epochMs();
  let textCount = 0;
  /** Claims a new text unless the sample says otherwise; its ts is relative to the start. */
  const claim = (sample: SampleMark = {}): ReplayVerdict => {
    textCount++;
    const mark = sampleMark({ text: `text ${textCount}`, ...sample, ts: start + (sample.ts ?? textCount) });
    const verdict = table.verdict(mark);
    if (verdict.kind === 'fresh') table.accept(mark);
    return verdict;
  };
  return { clock, table, claim, start };
}

describe('a text', () => {
  it('is fresh once, then a repeat on its route and a replay on every other', () => {
    const { claim } = setUp();
    expect(claim({ text: 'x', route: '/one' })).toEqual({ kind: 'fresh' });
    expect(claim({ text: 'x', route: '/one' })).toEqual({ kind: 'repeat' });
    expect(claim({ text: 'x', route: '/two' })).toEqual({ kind: 'replay' });
    expect(claim({ text: 'x', route: '/one', ip: 'elsewhere', ts: 77 })).toEqual({ kind: 'repeat' });
  });

  it('belongs to its server: the same text of another is fresh', () => {
    const { claim } = setUp();
    claim({ text: 'x', server: 'A' });
    expect(claim({ text: 'x', server: 'B' })).toEqual({ kind: 'fresh' });
  });

  it('is remembered for replayMs, 1 ms included, and not longer', () => {
    const { clock, table, claim } = setUp();
    claim({ text: 'x' });
    clock.advance(REPLAY_MS);
    expect(table.isMarked(sampleMark({ text: 'x' }))).toBe(true);
    expect(claim({ text: 'x' })).toEqual({ kind: 'repeat' });
    clock.advance(1);
    expect(table.isMarked(sampleMark({ text: 'x' }))).toBe(false);
    expect(table.size).toBe(0);
    expect(claim({ text: 'x' })).toEqual({ kind: 'fresh' });
  });

  it('is not forgotten earlier because the clock is set back, nor is a later one', () => {
    const { clock, table, claim } = setUp();
    claim({ text: 'x' });
    clock.jumpEpoch(-1000);
    claim({ text: 'y' });
    clock.advance(1000 + REPLAY_MS);
    expect(table.size).toBe(2);
    clock.advance(1);
    expect(table.size).toBe(0);
  });

  it('is not forgotten because the clock leaps ahead for a while', () => {
    const { clock, table, claim } = setUp();
    claim({ text: 'x' });
    clock.jumpEpoch(3_600_000);
    expect(claim({ text: 'x' })).toEqual({ kind: 'repeat' });
    clock.advance(REPLAY_MS);
    expect(claim({ text: 'x' })).toEqual({ kind: 'repeat' });
    clock.jumpEpoch(-3_600_000);
    expect(table.size).toBe(1);
    clock.advance(1);
    expect(table.size).toBe(0);
  });
});

describe('a clock that was years ahead', () => {
  it('does not leave marks behind for years', () => {
    const { clock, table, claim } = setUp(2);
    const years = 10 * 365 * 86_400_000;
    clock.jumpEpoch(years);
    claim({ text: 'x', server: 'A' });
    claim({ text: 'y', server: 'A' });
    claim({ text: 'z', server: 'B' });
    clock.jumpEpoch(-years);
    expect(table.isMarked(sampleMark({ text: 'z', server: 'B' }))).toBe(true);
    clock.advance(REPLAY_MS);
    expect(table.size).toBe(2);
    clock.advance(1);
    expect(table.size).toBe(0);
    expect(claim({ text: 'x', server: 'A' })).toEqual({ kind: 'fresh' });
  });
});

describe('a full table', () => {
  it('takes exactly maxEntries before anybody pays', () => {
    const { table, claim } = setUp(3);
    for (let i = 0; i < 3; i++) expect(claim()).toEqual({ kind: 'fresh' });
    expect(claim().kind).toBe('full');
    expect(table.size).toBe(3);
  });

  it('refuses the server that fills it until its own oldest mark expires', () => {
    const { clock, claim } = setUp(3);
    claim({ ip: 'elsewhere' });
    clock.advance(1000);
    claim();
    claim();
    clock.advance(5000);
    expect(claim()).toEqual({ kind: 'full', retryAfterMs: REPLAY_MS + 1 - 6000 });
    clock.advance(REPLAY_MS - 6000);
    expect(claim()).toEqual({ kind: 'full', retryAfterMs: 1 });
    clock.advance(1);
    expect(claim()).toEqual({ kind: 'fresh' });
  });

  it('lets the server that fills it pay for others, by the mark with the lowest ts', () => {
    const { table, claim, start } = setUp(3);
    claim({ text: 'a', ts: 30 });
    claim({ text: 'b', ts: 10 });
    claim({ text: 'c', ts: 20 });
    expect(claim({ server: 'new', ip: '192.0.2.2' })).toEqual({ kind: 'fresh' });
    expect(table.size).toBe(3);
    // Only the floor knows of b now: with another ts it would be taken for new.
    expect(table.isMarked(sampleMark({ text: 'b', ts: start + 10 }))).toBe(true);
    expect(table.isMarked(sampleMark({ text: 'b', ts: start + 11 }))).toBe(false);
    expect(table.isMarked(sampleMark({ text: 'c', ts: start + 99 }))).toBe(true);
    expect(table.isMarked(sampleMark({ text: 'a', ts: start + 99 }))).toBe(true);
  });

  it('charges the IP that holds most, however many identities share it', () => {
    const { claim } = setUp(4);
    for (let i = 0; i < 3; i++) claim({ server: `sybil ${i}`, ip: 'flood' });
    claim({ server: 'victim', ip: 'home' });
    expect(claim({ server: 'victim', ip: 'home' })).toEqual({ kind: 'fresh' });
    // Now both IPs hold two, and the next identity counts towards its own.
    expect(claim({ server: 'sybil 4', ip: 'flood' })).toEqual({ kind: 'fresh' });
    expect(claim({ server: 'sybil 0', ip: 'flood', ts: 0 })).toEqual({ kind: 'replay' });
  });

  it('spares a small server behind the IP of a large one', () => {
    const { claim } = setUp(4);
    claim({ text: 'small', server: 'small' });
    for (let i = 0; i < 3; i++) claim({ server: 'large' });
    expect(claim({ server: 'large' }).kind).toBe('full');
    expect(claim({ server: 'small' })).toEqual({ kind: 'fresh' });
    expect(claim({ text: 'small', server: 'small' })).toEqual({ kind: 'repeat' });
  });

  it('never refuses a server that holds nothing', () => {
    const { claim } = setUp(5);
    for (let i = 0; i < 50; i++)
      expect(claim({ server: `server ${i}`, ip: `ip ${i % 3}` }).kind).toBe('fresh');
  });
});

describe('a floor', () => {
  it('refuses what was forgotten, up to and including its ts, on every route', () => {
    const { claim } = setUp(2);
    claim({ text: 'a', ts: 10 });
    claim({ text: 'b', ts: 20 });
    claim({ server: 'new', ip: 'new' });
    expect(claim({ text: 'a', ts: 10 })).toEqual({ kind: 'replay' });
    expect(claim({ text: 'other', ts: 10 })).toEqual({ kind: 'replay' });
    expect(claim({ text: 'b', ts: 20 })).toEqual({ kind: 'repeat' });
    expect(claim({ text: 'other', ts: 11 }).kind).not.toBe('replay');
    // Another server's texts are not below it.
    expect(claim({ text: 'other', server: 'third', ip: 'third', ts: 5 })).toEqual({ kind: 'fresh' });
  });

  it('is gone replayMs after the eviction, 1 ms included', () => {
    const { clock, table, claim, start } = setUp(2);
    claim({ text: 'a', ts: 10 });
    claim({ text: 'b', ts: 20 });
    clock.advance(1000);
    claim({ server: 'new', ip: 'new' });
    const lost = sampleMark({ text: 'a', ts: start + 10 });
    clock.advance(REPLAY_MS);
    expect(table.isMarked(lost)).toBe(true);
    clock.advance(1);
    expect(table.isMarked(lost)).toBe(false);
  });

  it('stays at the highest ts that was lost', () => {
    const { claim } = setUp(2);
    claim({ text: 'a', ts: 50 });
    claim({ text: 'b', ts: 60 });
    claim({ server: 'new', ip: 'new' });
    claim({ server: 'newer', ip: 'newer' });
    expect(claim({ text: 'c', ts: 60 })).toEqual({ kind: 'replay' });
    expect(claim({ text: 'c', ts: 61 })).toEqual({ kind: 'fresh' });
  });
});

describe('floors that have expired', () => {
  it('are given out once, so many at a time, unless they are given back or there is a new one', () => {
    const { clock, table, claim } = setUp(3);
    const flood = (...names: readonly string[]): void => {
      for (const server of names) claim({ server, ip: server });
    };
    flood('A', 'B', 'C', 'D', 'E', 'F');
    expect(table.takeExpiredFloors(9)).toEqual([]);
    clock.advance(REPLAY_MS + 1);
    expect(table.size).toBe(0);
    expect(table.takeExpiredFloors(2)).toEqual(['A', 'B']);
    table.giveBackExpiredFloors(['A', 'B']);
    // Evicts one of A again.
    flood('A', 'D', 'E', 'F');
    expect(table.takeExpiredFloors(9)).toEqual(['C', 'B']);
    expect(table.takeExpiredFloors(9)).toEqual([]);
  });
});

describe('a floor and a wrong clock', () => {
  it('keeps its floor while the clock is ahead', () => {
    const { clock, table, claim, start } = setUp(2);
    for (const ts of [10, 20]) claim({ text: String(ts), ts });
    claim({ server: 'new', ip: 'new' });
    const lost = sampleMark({ text: '10', ts: start + 10 });
    clock.jumpEpoch(3_600_000);
    expect(table.isMarked(lost)).toBe(true);
    clock.jumpEpoch(-3_600_000);
    clock.advance(REPLAY_MS);
    expect(table.isMarked(lost)).toBe(true);
    clock.advance(1);
    expect(table.isMarked(lost)).toBe(false);
  });

  it('is no deeper than a mark lives: beyond, only a clock that was ahead has signed', () => {
    const { table, claim, start } = setUp(2);
    const far = 1e12;
    for (const ts of [far, far + 1]) claim({ text: String(ts), ts });
    claim({ server: 'new', ip: 'new' });
    expect(table.isMarked(sampleMark({ text: 'other', ts: start + far }))).toBe(true);
    expect(table.isMarked(sampleMark({ text: 'other', ts: start + far - REPLAY_MS - 1 }))).toBe(true);
    expect(table.isMarked(sampleMark({ text: 'other', ts: start + far - REPLAY_MS - 2 }))).toBe(false);
  });

  it('is lowered from where only a wrong clock has put it', () => {
    const { table, claim, start } = setUp(3);
    const newcomers = (...names: readonly string[]): void => {
      for (const name of names) expect(claim({ server: name, ip: name })).toEqual({ kind: 'fresh' });
    };
    const far = 1e12;
    for (let i = 0; i < 3; i++) claim({ ts: far + i });
    newcomers('A', 'B', 'C');
    expect(table.isMarked(sampleMark({ text: 'other', ts: start + far + 2 }))).toBe(true);
    expect(claim({ text: 'now', ts: 50 })).toEqual({ kind: 'fresh' });
    newcomers('D', 'E', 'F');
    expect(table.isMarked(sampleMark({ text: 'other', ts: start + 50 }))).toBe(true);
    expect(table.isMarked(sampleMark({ text: 'other', ts: start + 51 }))).toBe(false);
    expect(table.isMarked(sampleMark({ text: 'other', ts: start + far }))).toBe(false);
  });
});

describe('restore', () => {
  function kept(seq: number, overrides: Partial<StoredMark> = {}): StoredMark {
    const base = { key: `key ${seq}`, serverId: 'S', route: '/r', ts: seq, ip: 'i', expiresAtMs: 0 };
    return { seq, ...base, ...overrides };
  }

  it('takes up where the earlier process stopped, without what has expired', () => {
    const { clock, table } = setUp(1);
    const now = clock.epochMs();
    const losses = table.restore(
      [kept(4, { expiresAtMs: now }), kept(7, { expiresAtMs: now + 1 })],
      [
        { serverId: 'E', ts: 9, expiresAtMs: now },
        { serverId: 'F', ts: 9, expiresAtMs: now + 1 },
      ],
    );
    expect(losses).toEqual({ expiredAtMs: now, evictions: [], droppedFloors: [] });
    expect([table.size, table.takeExpiredFloors(9)]).toEqual([1, []]);
    expect(table.isMarked(sampleMark({ server: 'F', ts: 9 }))).toBe(true);
    expect(table.isMarked(sampleMark({ server: 'F', ts: 10 }))).toBe(false);
    expect(table.isMarked(sampleMark({ server: 'E', ts: 9 }))).toBe(false);
    // Nobody knows how right the wall clock is: one life from the start.
    clock.advance(REPLAY_MS);
    expect(table.size).toBe(1);
    clock.advance(1);
    expect([table.size, table.expiredSeq, table.takeExpiredFloors(9)]).toEqual([0, 7, ['F']]);
    expect(table.accept(sampleMark()).kept.seq).toBe(8);
  });

  it('on a machine whose clock begins in 1970 keeps marks and floors until it has been set', () => {
    const { clock, table, start } = setUp();
    const expiresAtMs = start + 1000;
    clock.setEpoch(5000);
    const lost = sampleMark({ server: 'F', ts: start + 9 });
    const mark = sampleMark({ server: 'S' });
    const floor = { serverId: 'F', ts: lost.ts, expiresAtMs };
    table.restore([kept(1, { key: toMarkKey(mark), expiresAtMs })], [floor]);
    expect(table.size).toBe(1);
    clock.setEpoch(start);
    for (let i = 0; i < 2; i++) {
      expect([table.isMarked(mark), table.isMarked(lost)]).toEqual([true, true]);
      clock.advance(REPLAY_MS);
    }
    expect([table.isMarked(mark), table.isMarked(lost)]).toEqual([false, false]);
  });

  it('counts a text that was written down twice as one', () => {
    const { clock, table } = setUp();
    const twice = { key: 'key', expiresAtMs: clock.epochMs() + 1 };
    table.restore([kept(1, twice), kept(2, twice)], []);
    expect(table.size).toBe(1);
    clock.advance(REPLAY_MS + 1);
    expect([table.size, table.expiredSeq]).toEqual([0, 2]);
  });

  it('makes room for a lower limit by the same rules, and says what had to go', () => {
    const { clock, table } = setUp(2);
    const expiresAtMs = clock.epochMs() + 1000;
    const marks = [1, 2, 3].map((seq) => kept(seq, { expiresAtMs }));
    const floors = ['x', 'y', 'z'].map((serverId, i) => ({ serverId, ts: 1, expiresAtMs: expiresAtMs + i }));
    const { evictions, droppedFloors } = table.restore(marks, floors);
    expect(
      evictions.map(({ evicted, floor }) => [evicted.seq, floor.raised.ts, floor.dropped?.serverId]),
    ).toEqual([[1, 1, 'y']]);
    expect(droppedFloors.map(({ serverId }) => serverId)).toEqual(['x']);
    expect(table.size).toBe(2);
  });

  it('does not wait for a time that only a wrong clock has seen', () => {
    const { clock, table } = setUp();
    const farMs = clock.epochMs() + 1e12;
    table.restore([kept(1, { expiresAtMs: farMs })], [{ serverId: 'F', ts: farMs, expiresAtMs: farMs }]);
    expect(table.isMarked(sampleMark({ server: 'F', ts: 10 }))).toBe(false);
    clock.advance(REPLAY_MS + 1);
    expect(table.size).toBe(0);
  });
});
