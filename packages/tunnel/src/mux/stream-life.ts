import type { StreamError } from './stream-error.ts';

/** How far a stream has come. A WebSocket stream is never half-closed. */
export type StreamState =
  | { readonly name: 'open' }
  /** This side has ended; the other may still send. */
  | { readonly name: 'receiving' }
  /** The other side has ended; this one may still send. */
  | { readonly name: 'sending' }
  /** Frames for it are late, and ignored. Without an error both sides have ended. */
  | { readonly name: 'over'; readonly error: StreamError | undefined };

/** The life of one stream, HTTP or WebSocket, at either end: from its opening until it ends or breaks. */
export class StreamLife {
  readonly #onOver: () => void;
  #state: StreamState = { name: 'open' };
  #controller: AbortController | undefined;

  /** @param onOver called once */
  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  get isOver(): boolean {
    return this.#state.name === 'over';
  }

  /** Why the stream broke, if it did. */
  get error(): StreamError | undefined {
    return this.#state.name === 'over' ? this.#state.error : undefined;
  }

  get maySend(): boolean {
    return this.#state.name === 'open' || this.#state.name === 'sending';
  }

  get mayReceive(): boolean {
    return this.#state.name === 'open' || this.#state.name === 'receiving';
  }

  /** Aborted when the stream breaks. Made when first asked for: most streams are never asked. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.error !== undefined) this.#controller.abort(this.error);
    return this.#controller.signal;
  }

  /** This side has nothing more to send. */
  endSending(): void {
    if (this.#state.name === 'open') this.#state = { name: 'receiving' };
    else if (this.#state.name === 'sending') this.#finish(undefined);
  }

  /** The other side has nothing more to send. */
  endReceiving(): void {
    if (this.#state.name === 'open') this.#state = { name: 'sending' };
    else if (this.#state.name === 'receiving') this.#finish(undefined);
  }

  /** Both sides have ended at once: a WebSocket was closed. */
  end(): void {
    if (!this.isOver) this.#finish(undefined);
  }

  /** The stream ends before its end. @returns whether it did; `false` when it was over already */
  break(error: StreamError): boolean {
    if (this.isOver) return false;
    this.#finish(error);
    this.#controller?.abort(error);
    return true;
  }

  #finish(error: StreamError | undefined): void {
    this.#state = { name: 'over', error };
    this.#onOver();
  }
}
