import { FakeClock } from '@openchambery/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Backoff, MAX_WAIT_MS, MIN_WAIT_MS, type Loss } from '../../src/control/backoff.ts';

const GRID_S = [1, 2, 4, 8, 16, 30];

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const loss = fc.constantFrom<Loss>('lost', 'refused');

function gridMs(failures: number): number {
  return (GRID_S[Math.min(failures, GRID_S.length - 1)] ?? 0) * 1000;
}

describe('without a connection in between', () => {
  test('lost connections wait anywhere up to the grid, and refused ones from the grid up', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(loss, chance), { minLength: 1, maxLength: 20 }), (failures) => {
        let random = 0;
        const backoff = new Backoff({ clock: new FakeClock(), random: () => random });
        for (const [index, [how, value]] of failures.entries()) {
          random = value;
          const waitMs = backoff.failed(how);
          const step = gridMs(index);
          expect(waitMs).toBeGreaterThanOrEqual(how === 'lost' ? MIN_WAIT_MS : step);
          expect(waitMs).toBeLessThanOrEqual(how === 'lost' ? step : step * 1.5);
          expect(waitMs).toBeLessThanOrEqual(MAX_WAIT_MS);
        }
      }),
    );
  });

  test.each([
    [0, 'lost', [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]],
    [0.5, 'lost', [500, 1000, 2000, 4000, 8000, 15_000, 15_000]],
    [1 - Number.EPSILON, 'lost', Array.from({ length: 7 }, () => MIN_WAIT_MS)],
    [0, 'refused', [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]],
    [0.5, 'refused', [1250, 2500, 5000, 10_000, 20_000, 37_500, 37_500]],
  ] as const)('with chance %f, %s ones wait %j', (random, how, expected) => {
    const backoff = new Backoff({ clock: new FakeClock(), random: () => random });
    expect(expected.map(() => backoff.failed(how))).toEqual(expected);
  });

  test('lost connections spread evenly', () => {
    const backoff = (random: number): number =>
      new Backoff({ clock: new FakeClock(), random: () => random }).failed('lost');
    const waits = Array.from({ length: 1000 }, (_, index) => backoff(index / 1000));
    for (const quarter of [250, 500, 750]) {
      const below = waits.filter((wait) => wait <= quarter).length;
      expect(Math.abs(below - quarter)).toBeLessThanOrEqual(1);
    }
  });
});

describe('after a connection', () => {
  function failedAfter(livedMs: number, how: Loss): number {
    const clock = new FakeClock();
    const backoff = new Backoff({ clock, random: () => 0 });
    backoff.failed('lost');
    backoff.failed('lost');
    backoff.connected();
    clock.advance(livedMs);
    return backoff.failed(how);
  }

  test.each([
    ['lost', 9999, 4000],
    ['lost', 10_000, 1000],
    ['refused', 59_999, 4000],
    ['refused', 60_000, 1000],
  ] as const)('that was %s after %i ms, the wait is %i ms', (how, livedMs, expected) => {
    expect(failedAfter(livedMs, how)).toBe(expected);
  });

  test('the grid goes on from its beginning', () => {
    const clock = new FakeClock();
    const backoff = new Backoff({ clock, random: () => 0 });
    for (let count = 0; count < 6; count++) backoff.failed('lost');
    backoff.connected();
    clock.advance(10_000);
    expect([backoff.failed('lost'), backoff.failed('lost'), backoff.failed('lost')]).toEqual([
      1000, 2000, 4000,
    ]);
  });

  test('the wall clock has no say', () => {
    const clock = new FakeClock();
    const backoff = new Backoff({ clock, random: () => 0 });
    backoff.failed('lost');
    backoff.connected();
    clock.jumpEpoch(3_600_000);
    expect(backoff.failed('lost')).toBe(2000);
  });

  test('two Hosts that replace each other never get faster than the grid', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(chance, fc.nat(59_999)), { maxLength: 30 }), (rounds) => {
        const clock = new FakeClock();
        let random = 0;
        const backoff = new Backoff({ clock, random: () => random });
        for (const [index, [value, livedMs]] of rounds.entries()) {
          random = value;
          backoff.connected();
          clock.advance(livedMs);
          expect(backoff.failed('refused')).toBeGreaterThanOrEqual(gridMs(index));
        }
      }),
    );
  });
});
