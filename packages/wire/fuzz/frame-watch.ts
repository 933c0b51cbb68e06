/** Looks through the bytes that a client gets: skips the answer to the handshake and waits for a close frame. */
export class FrameWatch {
  /** Whether the answer to the handshake has come. */
  hasAnswer = false;
  /** Whether the header of a close frame has come. */
  hasClose = false;
  #head = Buffer.alloc(0);
  #skip = 0;

  /** Takes the next bytes and gives those of them that belong to frames. */
  feed(bytes: Buffer): Buffer {
    let rest = bytes;
    if (!this.hasAnswer) {
      this.#head = Buffer.concat([this.#head, bytes]);
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return Buffer.alloc(0);
      rest = this.#head.subarray(end + 4);
      this.#head = Buffer.alloc(0);
      this.hasAnswer = true;
    }
    this.#look(rest);
    return rest;
  }

  #look(bytes: Buffer): void {
    let left = bytes;
    while (left.length > 0) {
      const skipped = Math.min(this.#skip, left.length);
      this.#skip -= skipped;
      left = left.subarray(skipped);
      if (left.length === 0) return;
      this.#head = Buffer.concat([this.#head, left]);
      const headBytes = headerBytes(this.#head);
      if (this.#head.length < headBytes) return;
      left = this.#head.subarray(headBytes);
      this.#hasHeader(this.#head);
      this.#head = Buffer.alloc(0);
    }
  }

  #hasHeader(header: Buffer): void {
    if (((header[0] ?? 0) & 0x0f) === 8) this.hasClose = true;
    const short = (header[1] ?? 0) & 0x7f;
    this.#skip =
      short === 127 ? Number(header.readBigUInt64BE(2)) : short === 126 ? header.readUInt16BE(2) : short;
  }
}

function headerBytes(header: Buffer): number {
  if (header.length < 2) return 2;
  const short = (header[1] ?? 0) & 0x7f;
  return short === 127 ? 10 : short === 126 ? 4 : 2;
}
