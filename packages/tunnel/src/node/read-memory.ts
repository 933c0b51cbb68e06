import { release } from './release.ts';

/** A TCP or TLS socket that is being read. */
export interface ReadStream {
  prependListener(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
}

/** Something that was read, and where it ended in all that was read. */
interface Chunk {
  readonly bytes: Uint8Array;
  readonly end: number;
}

/** Chunks that are remembered: a message has at most two of 64 KiB; more are only seen where they are small. */
const MAX_CHUNKS = 16;

/**
 * The memory that the stream under a WebSocket was read into. It is given back when all of it has been heard of in whole
 * messages: nothing but their number of bytes tells when `ws` has done with it. Counts no more than certainly was there,
 * so that whatever it does not hear of only makes it late.
 */
export class ReadMemory {
  readonly #chunks: Chunk[] = [];
  #readBytes = 0;
  #doneBytes = 0;

  /** To be made while the WebSocket's `open` is emitted, when `ws` listens to the stream and nothing has been read. */
  constructor(stream: ReadStream) {
    stream.prependListener('data', (chunk) => this.#onChunk(chunk));
    // After `ws` has taken all messages out of the chunk that are whole.
    stream.on('data', () => this.#giveBack());
  }

  /** A frame of a message has been delivered: its header and its payload are done with. */
  noteFrame(payloadBytes: number): void {
    this.#doneBytes += headerBytes(payloadBytes) + payloadBytes;
  }

  /** Whether these bytes lie in what was read, and will go with it. */
  has(bytes: Uint8Array): boolean {
    return this.#chunks.some((chunk) => chunk.bytes.buffer === bytes.buffer);
  }

  /** What was read so far may be needed for longer: it is left to the collector. */
  keep(): void {
    this.#chunks.length = 0;
  }

  #onChunk(bytes: Uint8Array): void {
    this.#readBytes += bytes.length;
    this.#chunks.push({ bytes, end: this.#readBytes });
    if (this.#chunks.length > MAX_CHUNKS) this.#chunks.shift();
  }

  #giveBack(): void {
    for (
      let [first] = this.#chunks;
      first !== undefined && first.end <= this.#doneBytes;
      [first] = this.#chunks
    ) {
      this.#chunks.shift();
      release(first.bytes);
    }
  }
}

/** The shortest header of a frame that is not masked (RFC 6455 section 5.2). */
function headerBytes(payloadBytes: number): number {
  if (payloadBytes < 126) return 2;
  return payloadBytes < 65_536 ? 4 : 10;
}
