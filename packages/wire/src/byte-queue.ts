/** Chunks below this are copied together, so that what waits costs about the bytes it counts. In bytes. */
const COPY_BELOW_BYTES = 2048;
/** Size of the blocks that small chunks are copied into, in bytes. */
const BLOCK_BYTES = 16384;

/**
 * Bytes that wait, in order. A thousand waiting frames of ten bytes would otherwise be a thousand buffers of a
 * few hundred bytes each; here they share a block.
 */
export class ByteQueue {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  /** The block being filled; [#sealed, #filled) of it waits and is not among the chunks yet. */
  #block: Buffer | undefined;
  #sealed = 0;
  #filled = 0;

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends a chunk, which now belongs to the queue. */
  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (chunk.length >= COPY_BELOW_BYTES) {
      this.#seal();
      this.#chunks.push(chunk);
      return;
    }
    if (this.#block === undefined || this.#filled + chunk.length > this.#block.length) {
      this.#seal();
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.#sealed = 0;
      this.#filled = 0;
    }
    this.#filled += chunk.copy(this.#block, this.#filled);
  }

  /** Takes chunks from the front until they make at least `bytes`, or all there are. */
  take(bytes: number): Buffer[] {
    this.#seal();
    let taken = 0;
    let count = 0;
    while (count < this.#chunks.length && taken < bytes) {
      taken += (this.#chunks[count] as Buffer).length;
      count++;
    }
    this.#bytes -= taken;
    if (this.#bytes === 0) this.#block = undefined;
    return this.#chunks.splice(0, count);
  }

  /** Forgets everything. */
  clear(): void {
    this.#chunks.length = 0;
    this.#block = undefined;
    this.#sealed = 0;
    this.#filled = 0;
    this.#bytes = 0;
  }

  #seal(): void {
    if (this.#block === undefined || this.#filled === this.#sealed) return;
    this.#chunks.push(this.#block.subarray(this.#sealed, this.#filled));
    this.#sealed = this.#filled;
  }
}
