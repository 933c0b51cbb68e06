import type { IncomingMessage } from 'node:http';
import { announcedBytes } from './body-length.ts';
import { ChunkCount } from './chunk-count.ts';

/** Why there is no body: longer than allowed (or in absurdly tiny chunks), or its client is gone. */
export type BodyFault = 'too-large' | 'aborted';

/**
 * Reads a body of at most `maxBytes`. Says `too-large` as soon as that is known, from the length announced or from
 * the bytes; then the rest stays unread. Never holds more, never rejects. To be called once for a request.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | BodyFault> {
  if ((announcedBytes(request) ?? 0) > maxBytes) return Promise.resolve('too-large');
  if (request.destroyed || request.readableEnded) return Promise.resolve('aborted');
  return new Promise((resolve) => new BodyReader(request, maxBytes, resolve));
}

/** One body on its way; its listeners are gone once it is known what becomes of it. */
class BodyReader {
  readonly #request: IncomingMessage;
  readonly #maxBytes: number;
  readonly #resolve: (result: Buffer | BodyFault) => void;
  readonly #count: ChunkCount;
  readonly #chunks: Buffer[] = [];

  constructor(request: IncomingMessage, maxBytes: number, resolve: (result: Buffer | BodyFault) => void) {
    this.#request = request;
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#count = new ChunkCount(request);
    request.on('end', this.#onEnd);
    request.on('error', this.#onAbort);
    request.on('close', this.#onAbort);
    request.on('data', this.#onData);
  }

  readonly #onData = (chunk: Buffer): void => {
    const verdict = this.#count.add(chunk);
    if (this.#count.bytes > this.#maxBytes || verdict === 'too-many') this.#finish('too-large');
    else this.#chunks.push(chunk);
  };

  readonly #onEnd = (): void => {
    // Answered before it was read, the request has lost its readers and the body its parts.
    const isWhole = this.#request.listeners('data').includes(this.#onData);
    this.#finish(isWhole ? Buffer.concat(this.#chunks) : 'aborted');
  };

  readonly #onAbort = (): void => this.#finish('aborted');

  #finish(result: Buffer | BodyFault): void {
    const request = this.#request;
    request.off('end', this.#onEnd);
    request.off('error', this.#onAbort);
    request.off('close', this.#onAbort);
    request.off('data', this.#onData);
    if (result === 'too-large') request.pause();
    this.#resolve(result);
  }
}
