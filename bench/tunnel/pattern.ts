/** How much an origin or an uploading client writes at a time, in bytes. */
export const BLOCK_BYTES = 65_536;

/** A block whose bytes say where they stand: a body is made of these, so that its parts can be told apart. */
export const block: Buffer = Buffer.from(
  Uint8Array.from({ length: BLOCK_BYTES }, (_byte, position) => (position * 31 + (position >> 8) * 7) & 0xff),
);

/** The next part of a body of `bytes`, of which `sent` have gone. */
export function partAt(sent: number, bytes: number): Buffer {
  return block.subarray(0, Math.min(BLOCK_BYTES, bytes - sent));
}

/** Counts the bytes of a body; throws as soon as a chunk does not begin and end as it must. */
export class BodyCounter {
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const end = this.#bytes + chunk.length;
    if (chunk[0] !== block[this.#bytes % BLOCK_BYTES] || chunk.at(-1) !== block[(end - 1) % BLOCK_BYTES]) {
      throw new Error(`a body was changed on its way, near byte ${this.#bytes}`);
    }
    this.#bytes = end;
  }
}
