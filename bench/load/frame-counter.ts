const OPCODE_CONTROL = 0x8;
const LONGEST_HEADER = 14;

/** What a counter tells its owner. */
export interface FrameEvents {
  /** A data message ended; called once per message, after its last byte. */
  onMessage?(): void;
  /** A whole control frame arrived, unmasked payload. */
  onControl(opcode: number, payload: Buffer): void;
  /** Payload bytes of a data frame as they arrive; given only where a test of content is wanted. */
  onPayload?(bytes: Buffer): void;
}

/**
 * Counts the messages in a byte stream by walking the frame headers and skipping the payloads. Masked headers are
 * understood as well, because through a raw TCP proxy the frames arrive as they were sent.
 */
export class FrameCounter {
  messages = 0;
  bytes = 0;
  readonly #events: FrameEvents;
  readonly #header = Buffer.alloc(LONGEST_HEADER);
  #headerBytes = 0;
  #remaining = 0;
  #opcode = 0;
  #final = false;
  #control: Buffer[] = [];

  constructor(events: FrameEvents) {
    this.#events = events;
  }

  /** Takes the next `length` bytes of the stream; the chunk may be reused by the caller afterwards. */
  push(chunk: Buffer, length: number): void {
    this.bytes += length;
    let offset = 0;
    while (offset < length) {
      if (this.#remaining > 0) {
        offset += this.#takePayload(chunk, offset, length);
      } else if (this.#headerBytes > 0 || length - offset < LONGEST_HEADER) {
        offset += this.#takeHeaderByte(chunk, offset);
      } else {
        offset += this.#startFrame(chunk, offset);
      }
    }
  }

  #takePayload(chunk: Buffer, offset: number, length: number): number {
    const taken = Math.min(this.#remaining, length - offset);
    if (this.#opcode >= OPCODE_CONTROL) {
      this.#control.push(Buffer.from(chunk.subarray(offset, offset + taken)));
    } else {
      this.#events.onPayload?.(chunk.subarray(offset, offset + taken));
    }
    this.#remaining -= taken;
    if (this.#remaining === 0) {
      this.#endFrame();
    }
    return taken;
  }

  /** The slow path at the end of a chunk: the header is collected byte by byte. */
  #takeHeaderByte(chunk: Buffer, offset: number): number {
    this.#header[this.#headerBytes] = chunk[offset] ?? 0;
    this.#headerBytes += 1;
    const collected = this.#headerBytes;
    if (collected >= 2 && collected === headerLength(this.#header, 0)) {
      this.#headerBytes = 0;
      this.#startFrame(this.#header, 0);
    }
    return 1;
  }

  #startFrame(buffer: Buffer, offset: number): number {
    const first = buffer[offset] ?? 0;
    const short = (buffer[offset + 1] ?? 0) & 0x7f;
    this.#opcode = first & 0x0f;
    this.#final = first >= 0x80;
    if (short < 126) {
      this.#remaining = short;
    } else {
      this.#remaining = short === 126 ? buffer.readUInt16BE(offset + 2) : buffer.readUInt32BE(offset + 6);
    }
    if (this.#remaining === 0) {
      this.#endFrame();
    }
    return headerLength(buffer, offset);
  }

  #endFrame(): void {
    if (this.#opcode >= OPCODE_CONTROL) {
      const payload = Buffer.concat(this.#control);
      this.#control = [];
      this.#events.onControl(this.#opcode, payload);
    } else if (this.#final) {
      this.messages += 1;
      this.#events.onMessage?.();
    }
  }
}

function headerLength(buffer: Buffer, offset: number): number {
  const second = buffer[offset + 1] ?? 0;
  const short = second & 0x7f;
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
  return 2 + extended + (second >= 0x80 ? 4 : 0);
}
