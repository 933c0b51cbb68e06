import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeenStreams } from '../../src/mux/seen-streams.ts';

describe('ids of streams', () => {
  it('can be used once each, in any order of the same few', () => {
    const ids = Array.from({ length: 200 }, (_, index) => index * 2 + 1);
    fc.assert(
      fc.property(fc.shuffledSubarray(ids), (order) => {
        const seen = new SeenStreams();
        expect(order.every((id) => seen.use(id))).toBe(true);
        expect(order.some((id) => seen.use(id))).toBe(false);
      }),
    );
  });

  it('are remembered as skipped in bounded number: 256, not one more', () => {
    const seen = new SeenStreams();
    expect(seen.use(2 * 257 + 1)).toBe(true);
    expect([seen.use(1), seen.use(3), seen.use(513)]).toEqual([false, true, true]);
  });

  it('forget first what was skipped longest ago', () => {
    const seen = new SeenStreams();
    seen.use(2 * 256 + 1);
    seen.use(2 * 256 + 5);
    expect([seen.use(1), seen.use(3), seen.use(2 * 256 + 3)]).toEqual([false, true, true]);
  });

  it('cost no more for a jump to the last one there is', () => {
    const seen = new SeenStreams();
    expect([seen.use(1), seen.use(0xffff_ffff), seen.use(0xffff_fffd), seen.use(3)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
