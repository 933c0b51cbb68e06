import { FakeClock } from '@openchambery/testkit';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Permit, SlidingWindow } from '../../src/limits/sliding-window.ts';

const WINDOW_MS = 60_000;

let clock: FakeClock;

beforeEach(() => {
  clock = new FakeClock();
});

function open(max: number, maxKeys = 10): SlidingWindow {
  return new SlidingWindow({ clock, windowMs: WINDOW_MS, max, maxKeys });
}

function giveBack(permit: Permit): void {
  if (!permit.ok) throw new Error('there is nothing to give back');
  permit.giveBack();
}

function takeMany(window: SlidingWindow, key: string, count: number): boolean[] {
  return Array.from({ length: count }, () => window.take(key).ok);
}

describe('a window', () => {
  it.each([1, 2, 60, 120])('lets %d through, and not one more', (max) => {
    const window = open(max);
    expect(takeMany(window, 'a', max)).not.toContain(false);
    expect(window.take('a')).toEqual({ ok: false, retryAfterMs: WINDOW_MS });
  });

  it('slides: a place is free when the use is one window old', () => {
    const window = open(2);
    window.take('a');
    clock.advance(20_000);
    window.take('a');
    clock.advance(39_999);
    expect(window.take('a')).toEqual({ ok: false, retryAfterMs: 1 });
    clock.advance(1);
    expect(window.take('a').ok).toBe(true);
    expect(window.take('a')).toEqual({ ok: false, retryAfterMs: 20_000 });
  });

  it('does not let through twice as many around a boundary', () => {
    const window = open(3);
    clock.advance(59_999);
    expect(takeMany(window, 'a', 3)).toEqual([true, true, true]);
    clock.advance(2);
    expect(takeMany(window, 'a', 3)).toEqual([false, false, false]);
  });

  it('does not count what it refuses', () => {
    const window = open(1);
    window.take('a');
    clock.advance(59_999);
    takeMany(window, 'a', 100);
    clock.advance(1);
    expect(window.take('a').ok).toBe(true);
  });

  it('counts each key for itself', () => {
    const window = open(1);
    expect([window.take('a').ok, window.take('b').ok, window.take('a').ok]).toEqual([true, true, false]);
    expect(takeMany(window, '__proto__', 2)).toEqual([true, false]);
  });

  it('minds no jump of the wall clock', () => {
    const window = open(1);
    window.take('a');
    clock.jumpEpoch(10 * WINDOW_MS);
    expect(window.take('a').ok).toBe(false);
    clock.jumpEpoch(-20 * WINDOW_MS);
    clock.advance(WINDOW_MS);
    expect(window.take('a').ok).toBe(true);
  });
});

describe('giving back', () => {
  it('frees the place at once', () => {
    const window = open(1);
    giveBack(window.take('a'));
    expect(window.take('a').ok).toBe(true);
    expect(window.take('a').ok).toBe(false);
  });

  it('leaves earlier uses as they were', () => {
    const window = open(2);
    window.take('a');
    clock.advance(10_000);
    giveBack(window.take('a'));
    window.take('a');
    expect(window.take('a')).toEqual({ ok: false, retryAfterMs: 50_000 });
  });

  it('takes back its own use, whatever came after it', () => {
    const window = open(2);
    const first = window.take('a');
    clock.advance(10_000);
    window.take('a');
    giveBack(first);
    window.take('a');
    clock.advance(50_000);
    // The use of 10 s is still within the window, and so is the one after it.
    expect(window.take('a')).toEqual({ ok: false, retryAfterMs: 10_000 });
  });

  it('counts once, however often it is said', () => {
    const window = open(2);
    const first = window.take('a');
    window.take('a');
    giveBack(first);
    giveBack(first);
    expect([window.take('a').ok, window.take('a').ok]).toEqual([true, false]);
  });

  it('takes nobody else’s use when its own window is over', () => {
    const window = open(1);
    const first = window.take('a');
    clock.advance(WINDOW_MS);
    window.take('a');
    giveBack(first);
    expect(window.take('a').ok).toBe(false);
  });

  it('does no harm when the key has been forgotten since', () => {
    const window = open(1, 1);
    const permit = window.take('a');
    window.take('b');
    giveBack(permit);
    expect(window.take('b').ok).toBe(false);
  });
});

describe('keys', () => {
  it('are held up to the limit; the one that was quiet for longest goes', () => {
    const window = open(1, 3);
    for (const key of ['a', 'b', 'c']) {
      window.take(key);
      clock.advance(1);
    }
    expect(window.size).toBe(3);
    window.take('d');
    expect(window.size).toBe(3);
    expect(window.take('b').ok).toBe(false);
    expect(window.take('c').ok).toBe(false);
    expect(window.take('d').ok).toBe(false);
    expect(window.take('a').ok).toBe(true);
  });

  it('are kept by use', () => {
    const window = open(2, 2);
    window.take('a');
    window.take('b');
    window.take('a');
    window.take('c');
    expect(window.take('a').ok).toBe(false);
  });

  it('are not kept by being refused: an attacker would never be forgotten', () => {
    const window = open(1, 2);
    window.take('a');
    window.take('b');
    window.take('a');
    window.take('c');
    expect(window.take('b').ok).toBe(false);
    expect(window.take('a').ok).toBe(true);
  });

  it('are forgotten when their window is over', () => {
    const window = open(5, 100);
    for (let index = 0; index < 50; index++) window.take(`k${index}`);
    expect(window.size).toBe(50);
    clock.advance(WINDOW_MS);
    window.take('other');
    expect(window.size).toBe(1);
  });

  it('never are more than the limit, however many come', () => {
    const window = open(3, 100);
    for (let index = 0; index < 10_000; index++) {
      window.take(`k${index}`);
      expect(window.size).toBeLessThanOrEqual(100);
    }
    for (let index = 0; index < 10_000; index++) giveBack(window.take(`g${index}`));
    expect(window.size).toBeLessThanOrEqual(100);
  });
});

describe('looking', () => {
  it('tells whether the limit is reached, and until when', () => {
    const window = open(2);
    const looks = [window.isFull('a')];
    window.take('a');
    looks.push(window.isFull('a'));
    window.take('a');
    looks.push(window.isFull('a'), window.isFull('b'));
    clock.advance(WINDOW_MS - 1);
    looks.push(window.isFull('a'));
    clock.advance(1);
    looks.push(window.isFull('a'));
    expect(looks).toEqual([false, false, true, false, true, false]);
  });

  it('leaves no trace', () => {
    const window = open(1, 2);
    window.take('a');
    for (let index = 0; index < 100; index++) window.isFull(`k${index}`);
    expect(window.size).toBe(1);
    expect(window.isFull('a')).toBe(true);
  });
});

interface Step {
  readonly key: string;
  readonly waitMs: number;
  /** After how many more steps the use is given back; beyond the last it never is. */
  readonly keptFor: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  waitMs: fc.oneof(fc.constant(0), fc.nat(50), fc.constant(100)),
  keptFor: fc.oneof(fc.constant(1000), fc.nat(5)),
});

it('agrees with a list of all uses', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 80 }), (max, steps) => {
      const windowMs = 100;
      const clock = new FakeClock();
      const window = new SlidingWindow({ clock, windowMs, max, maxKeys: 3 });
      let uses: { key: string; at: number; endsAt: number; giveBack: () => void }[] = [];
      for (const [index, { key, waitMs, keptFor }] of steps.entries()) {
        clock.advance(waitMs);
        const now = clock.monotonicMs();
        const within = uses.filter((use) => use.key === key && use.at > now - windowMs);
        const permit = window.take(key);
        expect(permit.ok).toBe(within.length < max);
        if (!permit.ok) {
          expect(permit.retryAfterMs).toBe((within[0]?.at ?? Number.NaN) + windowMs - now);
        } else {
          uses.push({ key, at: now, endsAt: index + keptFor, giveBack: permit.giveBack });
        }
        for (const use of uses) if (use.endsAt === index) use.giveBack();
        uses = uses.filter((use) => use.endsAt !== index);
      }
    }),
    { numRuns: 300 },
  );
});

it('refuses until exactly the time it says', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { minLength: 3, maxLength: 40 }), (waits) => {
      const clock = new FakeClock();
      const window = new SlidingWindow({ clock, windowMs: 100, max: 3, maxKeys: 5 });
      for (const waitMs of waits) {
        clock.advance(waitMs);
        const permit = window.take('a');
        if (permit.ok) continue;
        expect(permit.retryAfterMs).toBeGreaterThan(0);
        clock.advance(permit.retryAfterMs - 1);
        expect(window.take('a').ok).toBe(false);
        clock.advance(1);
        expect(window.take('a').ok).toBe(true);
      }
    }),
  );
});
