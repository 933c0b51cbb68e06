import { describe, expect, it } from 'vitest';
import { BlockPool } from '../src/index.ts';

describe('BlockPool', () => {
  it('offers the same block until it is kept, then another', () => {
    const pool = new BlockPool(100);
    const block = pool.current;
    expect(pool.current).toBe(block);
    pool.keep(block.subarray(0, 10));
    expect(pool.current.buffer).not.toBe(block.buffer);
    expect(pool.lentCount).toBe(1);
  });

  it('takes a block back once, and offers it again', () => {
    const pool = new BlockPool(100);
    const bytes = pool.current.subarray(5, 10);
    pool.keep(bytes);
    pool.release(bytes);
    pool.release(bytes);
    expect(pool.lentCount).toBe(0);
    pool.keep(pool.current);
    expect(pool.current.buffer).toBe(bytes.buffer);
    expect(pool.current).toHaveLength(100);
    pool.keep(pool.current);
    expect(pool.current.buffer).not.toBe(bytes.buffer);
  });

  it('lends nothing for bytes from elsewhere', () => {
    const pool = new BlockPool(100);
    const block = pool.current;
    pool.keep(Buffer.alloc(10));
    expect(pool.current).toBe(block);
    pool.release(Buffer.alloc(10));
    pool.keep(block);
    expect(pool.current.buffer).not.toBe(block.buffer);
    expect(pool.lentCount).toBe(1);
  });

  it('never offers a block again that it gave up', () => {
    const pool = new BlockPool(100);
    const bytes = pool.current;
    pool.keep(bytes);
    pool.abandon(bytes);
    pool.release(bytes);
    expect(pool.lentCount).toBe(0);
    const seen = Array.from({ length: 200 }, () => {
      const { buffer } = pool.current;
      pool.keep(pool.current);
      return buffer;
    });
    expect(seen).not.toContain(bytes.buffer);
  });
});

describe('BlockPool with smaller ones behind it', () => {
  const createPools = (): BlockPool => new BlockPool(1000, new BlockPool(100, new BlockPool(10)));

  it('picks the smallest block that has room, and the largest when none has', () => {
    const pool = createPools();
    const sizes = [0, 10, 11, 100, 101, 1000, 1001].map((bytes) => pool.pick(bytes).length);
    expect(sizes).toEqual([10, 10, 100, 100, 1000, 1000, 1000]);
    expect(pool.smallestBytes).toBe(10);
  });

  it('lends and takes back each block by its own size', () => {
    const pool = createPools();
    const [small, large] = [pool.pick(5), pool.pick(500)];
    pool.keep(small.subarray(0, 5));
    pool.keep(large.subarray(0, 500));
    expect(pool.lentCount).toBe(2);
    expect([pool.isLent(small), pool.isLent(large), pool.isLent(pool.pick(50))]).toEqual([true, true, false]);
    pool.release(small);
    expect([pool.lentCount, pool.isLent(small)]).toEqual([1, false]);
    pool.keep(pool.pick(5));
    expect(pool.pick(5).buffer).toBe(small.buffer);
    pool.abandon(large);
    expect(pool.isLent(large)).toBe(false);
  });

  it('keeps a block only for bytes that fill half of it', () => {
    const pool = createPools();
    const worth = [1, 4, 5, 10].map((bytes) => pool.isWorthKeeping(pool.pick(10).subarray(0, bytes)));
    expect(worth).toEqual([false, false, true, true]);
    expect(pool.isWorthKeeping(pool.current.subarray(0, 499))).toBe(false);
    expect(pool.isWorthKeeping(pool.current.subarray(0, 500))).toBe(true);
    expect(pool.isWorthKeeping(Buffer.alloc(1000))).toBe(false);
  });
});
