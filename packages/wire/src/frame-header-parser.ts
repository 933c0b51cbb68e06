import {
  CONTROL_BIT,
  FIN_BIT,
  LENGTH_BITS,
  MASK_BIT,
  MAX_CONTROL_PAYLOAD_BYTES,
  OPCODE,
  OPCODE_BITS,
  RSV_BITS,
} from './opcode.ts';

/** Why a frame header is refused, with the close code for its sender. */
export interface HeaderFault {
  readonly code: 1002 | 1009;
  readonly reason: string;
}

/** The largest header of a masked frame, in bytes (RFC 6455 §5.2). */
const MAX_MASKED_HEADER_BYTES = 14;

/**
 * Reads the headers of one peer's frames, wherever the chunks are cut, and keeps the rules that span frames:
 * what may follow what, and how long a message may get (RFC 6455 §5.2, §5.4, §5.5).
 */
export class FrameHeaderParser {
  /** First header byte of the frame whose header is complete: FIN bit and opcode. */
  first = 0;
  payloadBytes = 0;
  /** Masking key as a little-endian 32-bit integer. */
  key = 0;
  /** Set when the last read found a header that must be refused. */
  fault: HeaderFault | undefined;

  readonly #maxMessageBytes: number;
  #inMessage = false;
  #messageBytes = 0;
  /** A header that is cut by the end of a chunk; made only when that happens. */
  #partial: Buffer | undefined;
  #partialBytes = 0;

  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes;
  }

  /**
   * Reads a header at `at`. Gives the position of the payload, or -1 when the chunk ends inside the header or
   * the header is refused (see `fault`).
   */
  read(chunk: Buffer, at: number): number {
    if (this.#partialBytes > 0) return this.#readPartial(chunk, at);
    const left = chunk.length - at;
    if (left >= 2) {
      if (!this.#accept(chunk[at] as number, chunk[at + 1] as number)) return -1;
      const headerBytes = maskedHeaderBytes(chunk[at + 1] as number);
      if (left >= headerBytes) return this.#finish(chunk, at) ? at + headerBytes : -1;
    }
    this.#partial ??= Buffer.allocUnsafeSlow(MAX_MASKED_HEADER_BYTES);
    chunk.copy(this.#partial, 0, at);
    this.#partialBytes = left;
    return -1;
  }

  #readPartial(chunk: Buffer, at: number): number {
    const partial = this.#partial as Buffer;
    for (let next = at; next < chunk.length; ) {
      partial[this.#partialBytes++] = chunk[next++] as number;
      if (this.#partialBytes === 2 && !this.#accept(partial[0] as number, partial[1] as number)) return -1;
      if (this.#partialBytes < 2 || this.#partialBytes < maskedHeaderBytes(partial[1] as number)) continue;
      this.#partialBytes = 0;
      this.#partial = undefined;
      return this.#finish(partial, 0) ? next : -1;
    }
    return -1;
  }

  /** The checks that need only the first two bytes. */
  #accept(first: number, second: number): boolean {
    if ((second & MASK_BIT) === 0) return this.#refuse('a client frame must be masked');
    if ((first & RSV_BITS) !== 0) return this.#refuse('reserved bits are set');
    const opcode = first & OPCODE_BITS;
    if ((first & CONTROL_BIT) !== 0) {
      if (opcode > OPCODE.pong) return this.#refuse(`opcode ${opcode} is reserved`);
      if ((first & FIN_BIT) === 0) return this.#refuse('a control frame must not be fragmented');
      if ((second & LENGTH_BITS) > MAX_CONTROL_PAYLOAD_BYTES) {
        return this.#refuse('a control frame must not exceed 125 bytes');
      }
      return true;
    }
    if (opcode > OPCODE.binary) return this.#refuse(`opcode ${opcode} is reserved`);
    if (opcode === OPCODE.continuation && !this.#inMessage)
      return this.#refuse('continuation without a start');
    if (opcode !== OPCODE.continuation && this.#inMessage)
      return this.#refuse('new message inside a message');
    return true;
  }

  /** Takes in a whole header whose first two bytes were accepted. */
  #finish(bytes: Buffer, at: number): boolean {
    const first = bytes[at] as number;
    const length = (bytes[at + 1] as number) & LENGTH_BITS;
    let keyAt = at + 2;
    let payloadBytes = length;
    if (length === 126) {
      payloadBytes = ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
      keyAt = at + 4;
    } else if (length === 127) {
      const high = bytes.readUInt32BE(at + 2);
      if (high > 0x7fffffff) return this.#refuse('a 64-bit length must not have its top bit set');
      payloadBytes = high * 0x1_0000_0000 + bytes.readUInt32BE(at + 6);
      keyAt = at + 10;
    }
    if ((first & CONTROL_BIT) === 0 && !this.#countTowardsMessage(first, payloadBytes)) return false;
    this.first = first;
    this.payloadBytes = payloadBytes;
    this.key =
      (bytes[keyAt] as number) |
      ((bytes[keyAt + 1] as number) << 8) |
      ((bytes[keyAt + 2] as number) << 16) |
      ((bytes[keyAt + 3] as number) << 24);
    return true;
  }

  #countTowardsMessage(first: number, payloadBytes: number): boolean {
    const total = this.#inMessage ? this.#messageBytes + payloadBytes : payloadBytes;
    if (total > this.#maxMessageBytes) {
      this.fault = { code: 1009, reason: `message exceeds ${this.#maxMessageBytes} bytes` };
      return false;
    }
    this.#inMessage = (first & FIN_BIT) === 0;
    this.#messageBytes = total;
    return true;
  }

  #refuse(reason: string): false {
    this.fault = { code: 1002, reason };
    return false;
  }
}

function maskedHeaderBytes(second: number): number {
  const length = second & LENGTH_BITS;
  if (length < 126) return 6;
  return length === 126 ? 8 : MAX_MASKED_HEADER_BYTES;
}
