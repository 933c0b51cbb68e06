import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { TokenHolds } from '../../src/deliver/token-holds.ts';

describe('TokenHolds', () => {
  it('holds a token for as long as asked, and no other', () => {
    const clock = new FakeClock();
    const holds = new TokenHolds(clock);
    holds.hold('a', 1000);
    expect([holds.restMs('a'), holds.restMs('b')]).toEqual([1000, 0]);
    clock.advance(999);
    expect(holds.restMs('a')).toBe(1);
    clock.advance(1);
    expect([holds.restMs('a'), holds.size]).toEqual([0, 0]);
  });

  it('goes by what was said last', () => {
    const holds = new TokenHolds(new FakeClock());
    holds.hold('a', 1000);
    holds.hold('a', 10);
    expect([holds.restMs('a'), holds.size]).toEqual([10, 1]);
  });

  it('holds nobody for more than an hour', () => {
    const holds = new TokenHolds(new FakeClock());
    holds.hold('a', 86_400_000);
    expect(holds.restMs('a')).toBe(3_600_000);
  });

  it('lets the longest held go beyond ten thousand', () => {
    const holds = new TokenHolds(new FakeClock());
    for (let index = 0; index <= 10_000; index++) holds.hold(`token ${index}`, 1000);
    expect([holds.size, holds.restMs('token 0'), holds.restMs('token 1')]).toEqual([10_000, 0, 1000]);
  });
});
