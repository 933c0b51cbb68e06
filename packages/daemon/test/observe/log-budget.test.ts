import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { LogBudget } from '../../src/observe/log-budget.ts';

const linesPerWindow = 20;
const windowMs = 60_000;

function setUp(): { clock: FakeClock; budget: LogBudget<'a' | 'b'> } {
  const clock = new FakeClock();
  return { clock, budget: new LogBudget<'a' | 'b'>(clock) };
}

function takeMany(budget: LogBudget<'a' | 'b'>, count: number): number {
  return Array.from({ length: count }, () => budget.take('a')).filter(({ write }) => write).length;
}

describe('LogBudget', () => {
  it('writes up to the limit of a window and not one line more', () => {
    const { budget } = setUp();
    expect(takeMany(budget, linesPerWindow)).toBe(linesPerWindow);
    expect(budget.take('a')).toEqual({ write: false, suppressed: 0 });
  });

  it('counts kinds apart', () => {
    const { budget } = setUp();
    takeMany(budget, 100);
    expect(budget.take('b')).toEqual({ write: true, suppressed: 0 });
  });

  it('says once, with the first line of the next window, how many were left out', () => {
    const { clock, budget } = setUp();
    takeMany(budget, linesPerWindow + 7);
    clock.advance(windowMs - 1);
    expect(budget.take('a').write).toBe(false);
    clock.advance(1);
    expect(budget.take('a')).toEqual({ write: true, suppressed: 8 });
    expect(budget.take('a')).toEqual({ write: true, suppressed: 0 });
  });

  it('starts a window with its first line, not with the clock', () => {
    const { clock, budget } = setUp();
    clock.advance(windowMs - 10);
    takeMany(budget, linesPerWindow);
    clock.advance(20);
    expect(budget.take('a').write).toBe(false);
  });

  it('does not mind a wall clock that is set back', () => {
    const { clock, budget } = setUp();
    takeMany(budget, linesPerWindow);
    clock.jumpEpoch(-10 * windowMs);
    clock.advance(windowMs);
    expect(budget.take('a').write).toBe(true);
  });
});
