import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimeRing } from '../../src/limits/time-ring.ts';

describe('a ring', () => {
  it('is empty at first', () => {
    const ring = new TimeRing(3);
    expect([ring.size, ring.oldest, ring.newest]).toEqual([
      0,
      Number.NEGATIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ]);
    ring.drop(5);
    ring.dropUntil(5);
    expect(ring.size).toBe(0);
  });

  it.each([1, 3, 4, 5, 100])('holds %d times and not one more', (max) => {
    const ring = new TimeRing(max);
    for (let time = 1; time <= max; time++) ring.append(time);
    expect([ring.size, ring.oldest, ring.newest]).toEqual([max, 1, max]);
    expect(() => ring.append(max + 1)).toThrow('full');
    ring.dropUntil(1);
    ring.append(max + 1);
    expect(ring.newest).toBe(max + 1);
  });

  it('drops up to and including a time', () => {
    const ring = new TimeRing(4);
    for (const time of [1, 2, 2, 3]) ring.append(time);
    ring.dropUntil(1.5);
    expect([ring.size, ring.oldest]).toEqual([3, 2]);
    ring.dropUntil(2);
    expect([ring.size, ring.oldest]).toEqual([1, 3]);
  });

  it('drops one entry of a time and leaves the others, in order', () => {
    const ring = new TimeRing(5);
    for (const time of [1, 2, 2, 3]) ring.append(time);
    ring.drop(2);
    expect(ring.size).toBe(3);
    ring.drop(1);
    ring.drop(9);
    expect([ring.size, ring.oldest, ring.newest]).toEqual([2, 2, 3]);
    ring.append(4);
    ring.dropUntil(2);
    expect([ring.size, ring.oldest, ring.newest]).toEqual([2, 3, 4]);
  });
});

type Step =
  | { readonly kind: 'append'; readonly later: number }
  | { readonly kind: 'dropUntil'; readonly share: number }
  | { readonly kind: 'drop'; readonly age: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('append' as const), later: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('dropUntil' as const), share: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), age: fc.nat(12) }) },
);

it('behaves as a plain list does', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 120 }), (max, steps) => {
      const ring = new TimeRing(max);
      let list: number[] = [];
      let now = 0;
      for (const each of steps) {
        switch (each.kind) {
          case 'append':
            now += each.later;
            if (list.length === max) {
              expect(() => ring.append(now)).toThrow('full');
            } else {
              ring.append(now);
              list.push(now);
            }
            break;
          case 'dropUntil': {
            const until = (now * each.share) / 100;
            ring.dropUntil(until);
            list = list.filter((time) => time > until);
            break;
          }
          case 'drop': {
            const time = now - each.age;
            ring.drop(time);
            const index = list.lastIndexOf(time);
            if (index !== -1) list = list.toSpliced(index, 1);
            break;
          }
        }
        const none = Number.NEGATIVE_INFINITY;
        expect([ring.size, ring.oldest, ring.newest]).toEqual([
          list.length,
          list[0] ?? none,
          list.at(-1) ?? none,
        ]);
      }
    }),
  );
});
