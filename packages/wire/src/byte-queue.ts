import type { BlockPool } from './block-pool.ts';

/** Sizes of the pieces of memory that small chunks are copied into: each is twice the one before, in bytes. */
const FIRST_SLAB_BYTES = 2048;
const MAX_SLAB_BYTES = 16384;

/**
 * Bytes that wait, in order, in about as much memory as they count: a chunk that fills most of its block keeps the
 * block, others are copied together. A thousand waiting frames of ten bytes would otherwise be a thousand buffers
 * of a few hundred bytes each.
 */
export class ByteQueue {
  readonly #pool: BlockPool;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  /** The slab being filled; [#sealed, #filled) of it waits and is not among the chunks yet. */
  #slab: Buffer | undefined;
  #sealed = 0;
  #filled = 0;

  constructor(pool: BlockPool) {
    this.#pool = pool;
  }

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends a chunk, which may be reused by its owner afterwards. */
  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#pool.isWorthKeeping(chunk)) {
      this.#seal();
      this.#pool.keep(chunk);
      this.#chunks.push(chunk);
      return;
    }
    for (let at = 0; at < chunk.length; ) {
      if (this.#slab === undefined || this.#filled === this.#slab.length) this.#openSlab();
      const copied = chunk.copy(this.#slab as Buffer, this.#filled, at);
      this.#filled += copied;
      at += copied;
    }
  }

  /** Appends everything another queue of the same pool holds, and empties that. */
  takeAllFrom(other: ByteQueue): void {
    this.#seal();
    for (const chunk of other.take(Number.POSITIVE_INFINITY)) {
      this.#bytes += chunk.length;
      this.#chunks.push(chunk);
    }
  }

  /** Takes `bytes` from the front, or all there are; a chunk that keeps its block is not divided. */
  take(bytes: number): Buffer[] {
    this.#seal();
    let taken = 0;
    let count = 0;
    while (count < this.#chunks.length && taken < bytes) {
      this.#divide(count, bytes - taken);
      taken += (this.#chunks[count] as Buffer).length;
      count++;
    }
    this.#bytes -= taken;
    if (this.#bytes === 0) this.#dropSlab();
    return this.#chunks.splice(0, count);
  }

  /** Forgets everything. */
  clear(): void {
    for (const chunk of this.take(Number.POSITIVE_INFINITY)) this.#pool.release(chunk);
  }

  /** Divides a chunk that is longer than `bytes`. */
  #divide(index: number, bytes: number): void {
    const chunk = this.#chunks[index] as Buffer;
    if (chunk.length <= bytes || this.#pool.isLent(chunk)) return;
    this.#chunks.splice(index, 1, chunk.subarray(0, bytes), chunk.subarray(bytes));
  }

  #openSlab(): void {
    this.#seal();
    const bytes = this.#slab === undefined ? FIRST_SLAB_BYTES : this.#slab.length * 2;
    this.#slab = Buffer.allocUnsafeSlow(Math.min(bytes, MAX_SLAB_BYTES));
    this.#sealed = 0;
    this.#filled = 0;
  }

  #dropSlab(): void {
    this.#slab = undefined;
    this.#sealed = 0;
    this.#filled = 0;
  }

  #seal(): void {
    if (this.#slab === undefined || this.#filled === this.#sealed) return;
    this.#chunks.push(this.#slab.subarray(this.#sealed, this.#filled));
    this.#sealed = this.#filled;
  }
}
