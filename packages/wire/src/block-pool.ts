/** Blocks kept for reuse; more are left to the garbage collector. */
const MAX_FREE_BLOCKS = 64;

/**
 * Blocks of memory that frames are written into on their way from one socket to another. As long as the kernel
 * takes everything at once, one block serves all sockets of a relay and nothing is allocated at all; a block with
 * bytes that must wait goes along with them and comes back when they are sent.
 */
export class BlockPool {
  /** Size of every block, in bytes. */
  readonly blockBytes: number;
  readonly #free: Buffer[] = [];
  /** The memory of the blocks that are out. */
  readonly #lent = new Set<ArrayBufferLike>();
  #current: Buffer;

  constructor(blockBytes: number) {
    this.blockBytes = blockBytes;
    this.#current = Buffer.allocUnsafeSlow(blockBytes);
  }

  /** The block to write into now. What is in it lasts until the next read, unless it is kept. */
  get current(): Buffer {
    return this.#current;
  }

  /** Blocks that are out. */
  get lentCount(): number {
    return this.#lent.size;
  }

  /** Lends the current block, if these bytes lie in it, for as long as they wait. */
  keep(bytes: Buffer): void {
    if (bytes.buffer !== this.#current.buffer) return;
    this.#lent.add(this.#current.buffer);
    this.#current = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.blockBytes);
  }

  /** Takes back the block in which these bytes lie, if it is one; they have been sent. */
  release(bytes: Buffer): void {
    if (!this.#lent.delete(bytes.buffer)) return;
    if (this.#free.length < MAX_FREE_BLOCKS) this.#free.push(Buffer.from(bytes.buffer));
  }

  /** Gives up the block in which these bytes lie: something else may still look at them. */
  abandon(bytes: Buffer): void {
    this.#lent.delete(bytes.buffer);
  }
}
