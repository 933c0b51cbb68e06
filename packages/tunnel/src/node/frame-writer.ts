import { encodeMaskedFrame, FINAL_OPCODE } from './masked-frame.ts';
import { release } from './release.ts';

/** The part of a TCP or TLS socket that is used here. */
export interface WriteStream {
  write(bytes: Uint8Array, callback: (error?: Error | null) => void): boolean;
  cork(): void;
  uncork(): void;
}

/**
 * Writes whole messages onto the stream under a WebSocket. They go between the frames that `ws` writes itself (pongs, the
 * close frame), each of which it writes at once and in full.
 */
export class FrameWriter {
  readonly #stream: WriteStream;
  readonly #text = new TextEncoder();
  #isCorked = false;

  constructor(stream: WriteStream) {
    this.#stream = stream;
  }

  /** Takes the bytes of a message over. */
  write(message: string | Uint8Array, onWritten: (error?: Error | null) => void): void {
    this.#gather();
    if (typeof message === 'string') {
      this.#stream.write(encodeMaskedFrame(FINAL_OPCODE.text, this.#text.encode(message)), onWritten);
      return;
    }
    const frame = encodeMaskedFrame(FINAL_OPCODE.binary, message);
    release(message);
    this.#stream.write(frame, (error) => {
      // After a failure somebody may still hold it.
      if (!error) release(frame, frame.byteOffset);
      onWritten(error);
    });
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
