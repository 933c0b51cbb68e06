/** Blocks kept for reuse; more are left to the garbage collector. */
const MAX_FREE_BLOCKS = 64;

/**
 * Blocks of memory that frames are written into on their way from one socket to another. As long as the kernel
 * takes everything at once, one block serves all sockets of a relay and nothing is allocated at all; a block with
 * bytes that must wait goes along with them and comes back when they are sent. Pools of smaller blocks stand behind
 * a pool, so that a few bytes that wait do not hold a large one.
 */
export class BlockPool {
  /** Size of every block, in bytes. */
  readonly blockBytes: number;
  readonly #smaller: BlockPool | undefined;
  readonly #free: Buffer[] = [];
  /** The memory of the blocks that are out. */
  readonly #lent = new Set<ArrayBufferLike>();
  #current: Buffer;

  constructor(blockBytes: number, smaller?: BlockPool) {
    this.blockBytes = blockBytes;
    this.#smaller = smaller;
    this.#current = Buffer.allocUnsafeSlow(blockBytes);
  }

  /** The block of this size to write into now. What is in it lasts until the next read, unless it is kept. */
  get current(): Buffer {
    return this.#current;
  }

  /** Size of the smallest blocks, in bytes. */
  get smallestBytes(): number {
    return this.#smaller?.smallestBytes ?? this.blockBytes;
  }

  /** Blocks of any size that are out. */
  get lentCount(): number {
    return this.#lent.size + (this.#smaller?.lentCount ?? 0);
  }

  /** The smallest current block that has room for `bytes`, or the largest there is. */
  pick(bytes: number): Buffer {
    const smaller = this.#smaller;
    return smaller !== undefined && bytes <= smaller.blockBytes ? smaller.pick(bytes) : this.#current;
  }

  /** Whether these bytes lie in a current block and fill at least half of it. */
  isWorthKeeping(bytes: Buffer): boolean {
    if (bytes.buffer === this.#current.buffer) return bytes.length * 2 >= this.blockBytes;
    return this.#smaller?.isWorthKeeping(bytes) ?? false;
  }

  /** Whether these bytes lie in a block that is out. */
  isLent(bytes: Buffer): boolean {
    return this.#lent.has(bytes.buffer) || (this.#smaller?.isLent(bytes) ?? false);
  }

  /** Lends the current block in which these bytes lie, if they lie in one, for as long as they wait. */
  keep(bytes: Buffer): void {
    if (bytes.buffer !== this.#current.buffer) {
      this.#smaller?.keep(bytes);
      return;
    }
    this.#lent.add(this.#current.buffer);
    this.#current = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.blockBytes);
  }

  /** Takes back the block in which these bytes lie, if it is one; they have been sent. */
  release(bytes: Buffer): void {
    if (!this.#lent.delete(bytes.buffer)) {
      this.#smaller?.release(bytes);
      return;
    }
    if (this.#free.length < MAX_FREE_BLOCKS) this.#free.push(Buffer.from(bytes.buffer));
  }

  /** Gives up the block in which these bytes lie: something else may still look at them. */
  abandon(bytes: Buffer): void {
    this.#lent.delete(bytes.buffer);
    this.#smaller?.abandon(bytes);
  }
}
