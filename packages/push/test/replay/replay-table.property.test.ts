import { deepEqual, equal } from 'node:assert/strict';
import { FakeClock } from '@openchambery/testkit';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { ReplayMark } from '../../src/binding/replay-mark.ts';
import { toMarkKey } from '../../src/replay/kept-mark.ts';
import { type Acceptance, ReplayTable } from '../../src/replay/replay-table.ts';
import { NaiveReplayTable } from './naive-replay-table.ts';
import { sampleMark } from './sample-mark.ts';

const REPLAY_MS = 1000;
const YEAR_MS = 365 * 86_400_000;

const marks = fc.record({
  server: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'),
  text: fc.nat(30).map(String),
  route: fc.constantFrom('/one', '/two'),
  ts: fc.integer({ min: -300, max: 300 }),
  ip: fc.constantFrom('a', 'b', 'c'),
});

/** Time, and what is done to the wall clock: set back or ahead a little, or by years and maybe back again. */
const passing = fc.record({
  passesMs: fc.oneof({ weight: 8, arbitrary: fc.nat(60) }, { weight: 1, arbitrary: fc.nat(1500) }),
  leapsMs: fc.oneof(
    { weight: 20, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: -1500, max: 1500 }) },
    { weight: 1, arbitrary: fc.constantFrom(-YEAR_MS, YEAR_MS) },
  ),
});

const steps = fc.record({
  kind: fc.constantFrom('claim', 'claim', 'claim', 'claim', 'take back', 'look', 'restart'),
  mark: marks,
  passing,
});

class Pair {
  readonly clock = new FakeClock();
  table: ReplayTable;
  readonly naive: NaiveReplayTable;
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
    this.table = this.#createTable();
    this.naive = new NaiveReplayTable(this.clock, REPLAY_MS, maxEntries);
  }

  pass({ passesMs, leapsMs }: typeof passing extends fc.Arbitrary<infer T> ? T : never): void {
    this.clock.advance(passesMs);
    this.clock.jumpEpoch(leapsMs);
    this.naive.age();
    equal(this.table.size, this.naive.marks.length);
  }

  /** The next process finds what this one has written down. */
  restart(): void {
    const marksKept = this.naive.marks.map(({ order, mark, expiresAtMs }) => {
      const { serverId, route, ts, ip } = mark;
      return { seq: order + 1, key: toMarkKey(mark), serverId, route, ts, ip, expiresAtMs };
    });
    this.table = this.#createTable();
    const losses = this.table.restore(marksKept, this.naive.floors);
    deepEqual([losses.evictions, losses.droppedFloors], [[], []]);
    this.naive.restart();
    this.naive.age();
  }

  #createTable(): ReplayTable {
    return new ReplayTable({ clock: this.clock, replayMs: REPLAY_MS, maxEntries: this.#maxEntries });
  }

  isFresh(mark: ReplayMark): boolean {
    const verdict = this.table.verdict(mark);
    deepEqual(verdict, this.naive.verdict(mark));
    return verdict.kind === 'fresh';
  }

  claim(mark: ReplayMark): Acceptance | undefined {
    this.naive.age();
    if (!this.isFresh(mark)) return undefined;
    this.naive.accept(mark);
    return this.table.accept(mark);
  }

  /** A transaction of several, which fails. */
  takeBack(claimed: readonly ReplayMark[]): void {
    this.naive.takeBack(() => {
      const acceptances = claimed.map((mark) => this.claim(mark));
      this.naive.age();
      equal(this.table.size, this.naive.marks.length);
      for (const acceptance of acceptances.toReversed())
        if (acceptance !== undefined) this.table.undo(acceptance);
    });
    this.naive.age();
    equal(this.table.size, this.naive.marks.length);
  }

  look(mark: ReplayMark): void {
    this.naive.age();
    equal(this.table.isMarked(mark), this.naive.isMarked(mark));
  }
}

describe('ReplayTable', () => {
  it('decides as the rules say, whatever happens', () => {
    fc.assert(
      fc.property(
        fc.array(steps, { maxLength: 150 }),
        fc.integer({ min: 1, max: 12 }),
        (plan, maxEntries) => {
          const pair = new Pair(maxEntries);
          const all: ReplayMark[] = [];
          for (const [index, { kind, mark: sample, passing: passes }] of plan.entries()) {
            pair.pass(passes);
            const mark = sampleMark({ ...sample, ts: pair.clock.epochMs() + sample.ts });
            all.push(mark);
            if (kind === 'restart') pair.restart();
            else if (kind === 'claim') pair.claim(mark);
            else if (kind === 'take back') pair.takeBack(all.slice(Math.max(0, index - 5)));
            else pair.look(mark);
          }
          for (const mark of all) pair.look(mark);
        },
      ),
      { numRuns: Number(process.env.REPLAY_RUNS ?? 400) },
    );
  });
});
