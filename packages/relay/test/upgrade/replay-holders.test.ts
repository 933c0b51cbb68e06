import { describe, expect, it } from 'vitest';
import { ReplayHolders } from '../../src/upgrade/replay-holders.ts';

describe('ReplayHolders', () => {
  it('knows who holds most, and among equals who has for longest', () => {
    const holders = new ReplayHolders<number>();
    expect(holders.busiestIp()).toBeUndefined();
    holders.add('a', 1);
    holders.add('b', 2);
    expect(holders.busiestIp()).toBe('a');
    holders.add('b', 3);
    expect(holders.busiestIp()).toBe('b');
    holders.add('a', 4);
    expect(holders.busiestIp()).toBe('b');
    expect(holders.takeOldest('b')).toBe(2);
    expect(holders.busiestIp()).toBe('a');
  });

  it('forgets an IP with its last item', () => {
    const holders = new ReplayHolders<number>();
    holders.add('a', 1);
    holders.add('a', 2);
    expect([holders.takeOldest('a'), holders.takeOldest('a'), holders.takeOldest('a')]).toEqual([
      1,
      2,
      undefined,
    ]);
    expect(holders.size).toBe(0);
    expect(holders.busiestIp()).toBeUndefined();
  });
});
