import type { IncomingMessage } from 'node:http';

/** So many pieces may be of any size. */
const FREE_CHUNKS = 1024;
/** Beyond them, a piece is this long on average, in bytes. */
const MIN_MEAN_BYTES = 256;

/**
 * Tells a body in absurdly many tiny chunks. Node makes a buffer and a call of each, and handles all that it has read
 * in one go: 64 KiB hold 11 000 chunks of one byte, 11 to 30 ms in which nobody else is served. The first 1024 take 2.
 */
export class ChunkCount {
  readonly #isChunked: boolean;
  #chunks = 0;
  #bytes = 0;

  constructor({ headers }: IncomingMessage) {
    // A body with a length comes in reads, each of which costs the client a packet.
    this.#isChunked = headers['transfer-encoding'] !== undefined;
  }

  /** Bytes counted. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts one piece of the body, and says whether they are too many by now. */
  add(chunk: Uint8Array): 'fine' | 'too-many' {
    this.#chunks++;
    this.#bytes += chunk.length;
    if (!this.#isChunked) return 'fine';
    return this.#chunks > FREE_CHUNKS + this.#bytes / MIN_MEAN_BYTES ? 'too-many' : 'fine';
  }
}
