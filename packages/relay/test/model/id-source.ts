/** Connection ids that a schedule can foresee, and make collide. */
export class IdSource {
  #drawn = 0;
  #repeats = 0;

  /** The relay's source of randomness. */
  readonly randomBytes = (size: number): Buffer => {
    const bytes = this.#bytesOf(this.#repeats > 0 ? this.#drawn - 1 : this.#drawn, size);
    if (this.#repeats > 0) this.#repeats--;
    else this.#drawn++;
    return bytes;
  };

  /** The next `count` draws give the last id again. */
  repeat(count: number): void {
    this.#repeats = count;
  }

  /** What the next draws give. */
  peek(count: number): string[] {
    return Array.from({ length: count }, (_unused, i) => {
      const isRepeat = i < this.#repeats;
      const index = isRepeat ? this.#drawn - 1 : this.#drawn + i - this.#repeats;
      return this.#bytesOf(index, 16).toString('base64url');
    });
  }

  #bytesOf(index: number, size: number): Buffer {
    const bytes = Buffer.alloc(size, 7);
    bytes.writeInt32BE(index, 0);
    return bytes;
  }
}
