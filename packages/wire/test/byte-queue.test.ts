import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteQueue } from '../src/byte-queue.ts';
import { BlockPool } from '../src/index.ts';
import { patternBytes } from './support/client-frames.ts';

const BLOCK_BYTES = 4000;

type Step =
  | { readonly push: number; readonly isShared: boolean }
  | { readonly take: number }
  | { readonly move: true }
  | { readonly clear: true };

/** Around half a block, from which on a chunk keeps it, and around the memory that small chunks share. */
const sizes = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.constantFrom(1999, 2000, 2001, BLOCK_BYTES, 16_383, 16_384, 16_385),
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ push: sizes, isShared: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ take: fc.oneof(sizes, fc.constant(1e9)) }) },
    { weight: 2, arbitrary: fc.constant({ move: true } as const) },
    { weight: 1, arbitrary: fc.constant({ clear: true } as const) },
  ),
  { maxLength: 80 },
);

/** A chunk as a reader makes it, in the pool's current block, or as anything else does. */
function chunkOf(pool: BlockPool, bytes: Buffer, isShared: boolean): Buffer {
  if (!isShared || bytes.length > BLOCK_BYTES) return Buffer.from(bytes);
  bytes.copy(pool.current);
  return pool.current.subarray(0, bytes.length);
}

/** A queue beside the plainest model of it. */
class Modelled {
  readonly queue: ByteQueue;
  readonly #pool: BlockPool;
  #model = Buffer.alloc(0);

  constructor(pool: BlockPool) {
    this.#pool = pool;
    this.queue = new ByteQueue(pool);
  }

  push(bytes: Buffer, isShared: boolean): void {
    const chunk = chunkOf(this.#pool, bytes, isShared);
    this.queue.push(chunk);
    // The next read writes over the current block; whoever made another chunk may use that again.
    (isShared ? this.#pool.current : chunk).fill(0xee);
    this.#model = Buffer.concat([this.#model, bytes]);
  }

  take(bytes: number): void {
    const chunks = this.queue.take(bytes);
    const got = Buffer.concat(chunks);
    for (const chunk of chunks) this.#pool.release(chunk);
    const most = bytes + 16_385;
    if (!got.equals(this.#model.subarray(0, got.length)))
      throw new Error('the bytes are not what was pushed');
    if (got.length < Math.min(bytes, this.#model.length)) throw new Error('fewer bytes than asked for');
    if (got.length > most) throw new Error('many more bytes than asked for');
    this.#model = this.#model.subarray(got.length);
  }

  moveFrom(other: Modelled): void {
    this.queue.takeAllFrom(other.queue);
    this.#model = Buffer.concat([this.#model, other.#model]);
    other.#model = Buffer.alloc(0);
  }

  clear(): void {
    this.queue.clear();
    this.#model = Buffer.alloc(0);
  }

  get isCountedRightly(): boolean {
    return this.queue.bytes === this.#model.length;
  }
}

describe('ByteQueue', () => {
  it('gives bytes back in order and counts them, whatever is pushed, taken and moved', () => {
    fc.assert(
      fc.property(steps, (script) => {
        const pool = new BlockPool(BLOCK_BYTES);
        const [first, second] = [new Modelled(pool), new Modelled(pool)];
        let pushed = 0;
        for (const [index, step] of script.entries()) {
          const queue = index % 3 === 0 ? first : second;
          if ('push' in step) queue.push(patternBytes(step.push, pushed), step.isShared);
          else if ('take' in step) queue.take(step.take);
          else if ('move' in step) first.moveFrom(second);
          else queue.clear();
          if ('push' in step) pushed += step.push;
          expect([first.isCountedRightly, second.isCountedRightly]).toEqual([true, true]);
        }
        first.take(Number.POSITIVE_INFINITY);
        second.take(Number.POSITIVE_INFINITY);
        expect(first.queue.take(1)).toEqual([]);
        expect(pool.lentCount).toBe(0);
      }),
    );
  });

  it('gives small chunks to the byte', () => {
    const queue = new ByteQueue(new BlockPool(BLOCK_BYTES));
    for (let i = 0; i < 100; i++) queue.push(Buffer.alloc(10));
    expect(Buffer.concat(queue.take(333))).toHaveLength(333);
    expect(queue.bytes).toBe(667);
  });

  it('keeps what was taken as it was while more is pushed', () => {
    const queue = new ByteQueue(new BlockPool(BLOCK_BYTES));
    queue.push(Buffer.from('first'));
    const taken = queue.take(5);
    for (let i = 0; i < 5000; i++) queue.push(Buffer.from('later'));
    expect(Buffer.concat(taken).toString()).toBe('first');
  });

  it('keeps many small chunks in few buffers', () => {
    const queue = new ByteQueue(new BlockPool(BLOCK_BYTES));
    for (let i = 0; i < 10_000; i++) queue.push(Buffer.alloc(10));
    expect(queue.take(Number.POSITIVE_INFINITY).length).toBeLessThan(10);
  });
});
