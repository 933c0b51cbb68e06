import type { IncomingMessage } from 'node:http';
import { announcedBytes } from './body-length.ts';
import { ChunkCount } from './chunk-count.ts';

/** Most of a body that is read only to be thrown away, so that its connection can be used again, in bytes. */
const MAX_REST_BYTES = 1_048_576;

/** Wanted by whoever answers; thrown away, the answer being out; beyond its bounds, and not even parsed. */
type BodyState = 'wanted' | 'unwanted' | 'over';

function forget(): void {
  // What nobody reads any more.
}

/** Keeps the body of one request within bounds, whoever reads it. */
export class BodyWatch {
  readonly #request: IncomingMessage;
  readonly #onOver: () => void;
  readonly #count: ChunkCount;
  #restBytes = 0;
  #state: BodyState = 'wanted';

  /** `onOver` is called once, when a bound is passed; the parser may be in the middle of what it has read. */
  constructor(request: IncomingMessage, onOver: () => void) {
    this.#request = request;
    this.#onOver = onOver;
    this.#count = new ChunkCount(request);
    const push = request.push.bind(request);
    // The only way to see each piece without being its reader. Where Node pushes no more, nothing is counted.
    request.push = (chunk: Buffer | null) => {
      if (this.#state === 'over') return true;
      if (chunk !== null) this.#see(chunk);
      return push(chunk);
    };
    // Now the request counts as read, and Node leaves its rest to us.
    request.read(0);
  }

  /** Whether what is left is known to be more than is thrown away. */
  get isRestTooLong(): boolean {
    const leftBytes = (announcedBytes(this.#request) ?? 0) - this.#count.bytes;
    return this.#state === 'over' || leftBytes > MAX_REST_BYTES;
  }

  /** Throws the rest away; whoever read it hears no more. */
  discardRest(): void {
    if (this.#state !== 'wanted') return;
    if (this.isRestTooLong) return this.#goOver();
    this.#state = 'unwanted';
    const request = this.#request;
    request.removeAllListeners('data');
    request.removeAllListeners('readable');
    request.on('data', forget);
    request.resume();
  }

  #see(chunk: Buffer): void {
    if (this.#state === 'unwanted') this.#restBytes += chunk.length;
    const verdict = this.#count.add(chunk);
    if (verdict === 'too-many' || this.#restBytes > MAX_REST_BYTES) this.#goOver();
  }

  #goOver(): void {
    this.#state = 'over';
    this.#onOver();
  }
}
