/** What there is of messages that are not whole yet, over all streams of a tunnel. */
export class PartialMessages {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isExceeded(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  /** One stream holds `now` bytes, where it held `before`. */
  change(before: number, now: number): void {
    this.#bytes += now - before;
  }
}
