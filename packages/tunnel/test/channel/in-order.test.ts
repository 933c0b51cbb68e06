import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InOrder } from '../../src/channel/in-order.ts';
import { settle } from './ciphers.ts';

interface Recorded {
  readonly results: number[];
  failures: number;
  fewer: number;
}

function record(): { readonly told: Recorded; readonly queue: InOrder<number> } {
  const told: Recorded = { results: [], failures: 0, fewer: 0 };
  const queue: InOrder<number> = new InOrder<number>({
    onResult: (result) => told.results.push(result),
    onFailure: () => {
      told.failures++;
      queue.clear();
    },
    onFewer: () => told.fewer++,
  });
  return { told, queue };
}

describe('InOrder', () => {
  it('passes a result on at once when nothing is before it', () => {
    const { told, queue } = record();
    queue.add(1, 10);
    queue.add(2, 10);
    expect(told).toEqual({ results: [1, 2], failures: 0, fewer: 0 });
    expect(queue.count).toBe(0);
  });

  it('holds a result back behind one that is still to come', async () => {
    const { told, queue } = record();
    const { promise, resolve } = Promise.withResolvers<number>();
    queue.add(promise, 10);
    queue.add(2, 5);
    expect(told.results).toEqual([]);
    expect([queue.count, queue.byteLength]).toEqual([2, 15]);
    resolve(1);
    await settle();
    expect(told).toEqual({ results: [1, 2], failures: 0, fewer: 1 });
    expect([queue.count, queue.byteLength]).toEqual([0, 0]);
  });

  it('begins anew whenever nothing waits any more', async () => {
    const { told, queue } = record();
    for (const round of [1, 2, 3]) {
      queue.add(Promise.resolve(round), 10);
      queue.add(Promise.resolve(-round), 10);
      await settle();
      expect([queue.count, queue.byteLength]).toEqual([0, 0]);
    }
    queue.add(4, 10);
    expect(told).toEqual({ results: [1, -1, 2, -2, 3, -3, 4], failures: 0, fewer: 6 });
  });

  it('passes on what comes before a failure, and nothing behind it', async () => {
    const { told, queue } = record();
    const first = Promise.withResolvers<number>();
    queue.add(first.promise, 1);
    queue.add(Promise.reject(new Error('not now')), 1);
    queue.add(3, 1);
    await settle();
    expect(told).toEqual({ results: [], failures: 0, fewer: 0 });
    first.resolve(1);
    await settle();
    expect(told).toMatchObject({ results: [1], failures: 1 });
    expect(queue.count).toBe(0);
  });

  it('forgets everything when it is cleared, also what comes about later', async () => {
    const { told, queue } = record();
    const first = Promise.withResolvers<number>();
    const second = Promise.withResolvers<number>();
    queue.add(first.promise, 1);
    queue.add(second.promise, 1);
    queue.clear();
    queue.add(7, 1);
    first.resolve(1);
    second.reject(new Error('too late'));
    await settle();
    expect(told).toMatchObject({ results: [7], failures: 0 });
    expect([queue.count, queue.byteLength]).toEqual([0, 0]);
  });

  it('waits for what can be waited for, promise of this realm or not', async () => {
    const { told, queue } = record();
    const foreign = runInNewContext('Promise.resolve(1)') as Promise<number>;
    expect(foreign).not.toBeInstanceOf(Promise);
    queue.add(foreign, 1);
    queue.add(2, 1);
    expect(told.results).toEqual([]);
    await settle();
    expect(told.results).toEqual([1, 2]);
  });

  it('keeps the order, in whatever order results come about', async () => {
    // For each result: whether it is there at once, and which of the others it comes about after.
    const plan = fc.array(fc.tuple(fc.boolean(), fc.nat()), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(plan, async (plan) => {
        const { told, queue } = record();
        const waiting: { readonly rank: number; readonly resolve: () => void }[] = [];
        for (const [index, [isThere, rank]] of plan.entries()) {
          const { promise, resolve } = Promise.withResolvers<number>();
          if (!isThere) waiting.push({ rank, resolve: () => resolve(index) });
          queue.add(isThere ? index : promise, 1);
        }
        for (const { resolve } of waiting.toSorted((one, other) => one.rank - other.rank)) {
          resolve();
          await Promise.resolve();
          expect(told.results).toEqual(plan.map((_, index) => index).slice(0, told.results.length));
        }
        await settle();
        expect(told.results).toHaveLength(plan.length);
        expect([queue.count, queue.byteLength]).toEqual([0, 0]);
      }),
    );
  });
});
