import { deepEqual, equal } from 'node:assert/strict';
import { FakeClock } from '@openchambery/testkit';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { ReplayMark } from '../../src/binding/replay-mark.ts';
import { ReplayTable } from '../../src/replay/replay-table.ts';
import { NaiveReplayTable } from './naive-replay-table.ts';
import { sampleMark } from './sample-mark.ts';

const REPLAY_MS = 1000;

const marks = fc.record({
  server: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'),
  text: fc.nat(30).map(String),
  route: fc.constantFrom('/one', '/two'),
  ts: fc.integer({ min: -300, max: 300 }),
  ip: fc.constantFrom('a', 'b', 'c'),
});

const steps = fc.record({
  kind: fc.constantFrom('claim', 'claim', 'claim', 'claim', 'take back', 'look'),
  mark: marks,
  // Now and then the clock is set back a little.
  passesMs: fc.oneof(
    { weight: 8, arbitrary: fc.nat(60) },
    { weight: 1, arbitrary: fc.integer({ min: -100, max: 1500 }) },
  ),
});

class Pair {
  readonly clock = new FakeClock();
  readonly table: ReplayTable;
  readonly naive: NaiveReplayTable;

  constructor(maxEntries: number) {
    this.table = new ReplayTable({ clock: this.clock, replayMs: REPLAY_MS, maxEntries });
    this.naive = new NaiveReplayTable(REPLAY_MS, maxEntries);
  }

  pass(ms: number): void {
    this.clock.jumpEpoch(ms);
    this.naive.age(this.clock.epochMs());
    equal(this.table.size, this.naive.marks.length);
  }

  isFresh(mark: ReplayMark): boolean {
    const verdict = this.table.verdict(mark);
    deepEqual(verdict, this.naive.verdict(mark, this.clock.epochMs()));
    return verdict.kind === 'fresh';
  }

  claim(mark: ReplayMark): void {
    if (!this.isFresh(mark)) return;
    this.table.accept(mark);
    this.naive.accept(mark, this.clock.epochMs());
  }

  /** A transaction of several, which fails. */
  takeBack(claimed: readonly ReplayMark[]): void {
    const acceptances = [];
    for (const mark of claimed) {
      if (this.table.verdict(mark).kind === 'fresh') acceptances.push(this.table.accept(mark));
    }
    for (const acceptance of acceptances.toReversed()) this.table.undo(acceptance);
  }

  look(mark: ReplayMark): void {
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
          const all = plan.map(({ mark }) => sampleMark({ ...mark, ts: pair.clock.epochMs() + mark.ts }));
          for (const [index, { kind, passesMs }] of plan.entries()) {
            pair.pass(passesMs);
            const mark = all[index];
            if (mark === undefined) return;
            if (kind === 'claim') pair.claim(mark);
            else if (kind === 'take back') pair.takeBack(all.slice(index, index + 6));
            else pair.look(mark);
          }
          for (const mark of all) pair.look(mark);
        },
      ),
      { numRuns: 400 },
    );
  });
});
