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
