import { createDeferred, type Deferred } from './deferred.ts';
import { Fifo } from './fifo.ts';
import type { ReadingGate, UnreadAccount } from './reading-gate.ts';
import { StreamError } from './stream-error.ts';
import type { IncomingBytes } from './streams.ts';
import { unpinned } from './unpinned.ts';

type BodyState =
  | { readonly name: 'open' }
  /** The other side has ended it; chunks may wait to be read. */
  | { readonly name: 'ended' }
  /** The reader does not want it; it reads as ended. */
  | { readonly name: 'discarded' }
  /** It can neither come nor be read any more. */
  | { readonly name: 'broken'; readonly error: StreamError };

/** The receiving side of a body: chunks that wait for a reader, or readers that wait for a chunk. */
export class IncomingBody implements IncomingBytes {
  readonly #account: UnreadAccount;
  readonly #onStalled: (error: StreamError) => void;
  readonly #chunks = new Fifo<Uint8Array>();
  readonly #readers = new Fifo<Deferred<Uint8Array | undefined>>();
  #state: BodyState = { name: 'open' };
  /** Whether the answer to it is complete, and nobody has read since. */
  #isUnheeded = false;

  /** @param onStalled the reader was too slow; the body is broken already */
  constructor(gate: ReadingGate, onStalled: (error: StreamError) => void) {
    this.#account = gate.openAccount(() => this.#stall());
    this.#onStalled = onStalled;
  }

  read(): Promise<Uint8Array | undefined> {
    this.#isUnheeded = false;
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#account.take(chunk.length);
      return Promise.resolve(chunk);
    }
    const reader = createDeferred<Uint8Array | undefined>();
    if (this.#state.name === 'open') this.#readers.push(reader);
    else if (this.#state.name === 'broken') reader.reject(this.#state.error);
    else reader.resolve(undefined);
    return reader.promise;
  }

  discard(): void {
    if (this.#state.name === 'broken') return;
    this.#state = { name: 'discarded' };
    this.#drop();
    this.#answerReaders();
  }

  /** Bytes came. */
  push(chunk: Uint8Array): void {
    if (this.#state.name !== 'open' || chunk.length === 0) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) return reader.resolve(chunk);
    this.#chunks.push(unpinned(chunk));
    this.#account.add(chunk.length);
  }

  /** The other side has ended the body. */
  end(): void {
    if (this.#state.name !== 'open') return;
    this.#state = { name: 'ended' };
    this.#answerReaders();
  }

  /** The stream broke under the body; what came whole can still be read. */
  break(error: StreamError): void {
    if (this.#state.name === 'open') this.#fail(error);
  }

  /** This side gave up: whatever there is, is forgotten. */
  cancel(error: StreamError): void {
    if (this.#state.name === 'open' || this.#chunks.size > 0) this.#fail(error);
  }

  /** The answer to this body is complete: perhaps nobody reads it any more, and then it must hold nothing up. */
  stopHeeding(): void {
    this.#isUnheeded = this.#readers.size === 0;
    if (this.#isUnheeded) this.#account.hurry();
  }

  #stall(): void {
    const error = new StreamError('ERR_TUNNEL_READER_STALLED', 'not read for too long');
    this.#fail(error);
    // The answer is what the peer wanted, and it has it.
    if (!this.#isUnheeded) this.#onStalled(error);
  }

  #fail(error: StreamError): void {
    this.#state = { name: 'broken', error };
    this.#drop();
    for (let reader = this.#readers.shift(); reader !== undefined; reader = this.#readers.shift()) {
      reader.reject(error);
    }
  }

  #answerReaders(): void {
    for (let reader = this.#readers.shift(); reader !== undefined; reader = this.#readers.shift()) {
      reader.resolve(undefined);
    }
  }

  #drop(): void {
    this.#chunks.clear();
    this.#account.clear();
  }
}
