import { describe, expect, it } from 'vitest';
import { Holders } from '../../src/collections/holders.ts';

describe('Holders', () => {
  it('knows who holds most, and among equals who has for longest', () => {
    const holders = new Holders<number>();
    expect(holders.busiestKey()).toBeUndefined();
    holders.add('a', 1);
    holders.add('b', 2);
    expect(holders.busiestKey()).toBe('a');
    holders.add('b', 3);
    expect(holders.busiestKey()).toBe('b');
    holders.add('a', 4);
    expect(holders.busiestKey()).toBe('b');
    expect(holders.takeOldest('b')).toBe(2);
    expect(holders.busiestKey()).toBe('a');
  });

  it('forgets a key with its last item', () => {
    const holders = new Holders<number>();
    holders.add('a', 1);
    holders.add('a', 2);
    expect([holders.takeOldest('a'), holders.takeOldest('a'), holders.takeOldest('a')]).toEqual([
      1,
      2,
      undefined,
    ]);
    expect(holders.size).toBe(0);
    expect(holders.busiestKey()).toBeUndefined();
  });
});
