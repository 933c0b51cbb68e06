import { encodeMaskedFrame, FINAL_OPCODE } from './masked-frame.ts';

/** The part of a TCP or TLS socket that is used here. */
export interface ByteStream {
  write(bytes: Uint8Array, callback: (error?: Error | null) => void): boolean;
  cork(): void;
  uncork(): void;
}

/**
 * Writes whole messages onto the stream under a WebSocket. They go between the frames that `ws` writes itself (pongs, the
 * close frame), each of which it writes at once and in full.
 */
export class FrameWriter {
  readonly #stream: ByteStream;
  readonly #text = new TextEncoder();
  #isCorked = false;

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  write(message: string | Uint8Array, onWritten: (error?: Error | null) => void): void {
    this.#gather();
    const frame =
      typeof message === 'string'
        ? encodeMaskedFrame(FINAL_OPCODE.text, this.#text.encode(message))
        : encodeMaskedFrame(FINAL_OPCODE.binary, message);
    this.#stream.write(frame, onWritten);
  }

  /** All that is written in one turn goes to the kernel in one call. */
  #gather(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#stream.cork();
    queueMicrotask(() => {
      this.#isCorked = false;
      this.#stream.uncork();
    });
  }
}
