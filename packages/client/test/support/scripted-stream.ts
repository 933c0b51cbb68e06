import {
  type ClientHttpStream,
  type HttpRequestHead,
  type HttpResponseHead,
  type IncomingBytes,
  type OutgoingBytes,
  StreamError,
  type StreamErrorCode,
} from '@openchambery/tunnel';

type Piece = Uint8Array | 'end';

/** An HTTP stream whose other end is the test. */
export class ScriptedStream implements ClientHttpStream {
  readonly id = 1;
  readonly head: HttpRequestHead;
  readonly response: Promise<HttpResponseHead>;
  readonly output: OutgoingBytes;
  readonly body: IncomingBytes;
  /** What was written, and whether it was ended. */
  readonly sent: Uint8Array[] = [];
  isEnded = false;
  /** What `write` gives; `drain` sets it back to true. */
  hasRoom = true;
  /** Reasons that this side aborted with. */
  readonly aborts: string[] = [];
  isDiscarded = false;
  /** How often somebody asked for bytes. */
  reads = 0;
  readonly #broken = new AbortController();
  readonly #pieces: Piece[] = [];
  #resolve: (head: HttpResponseHead) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #onPiece: () => void = () => undefined;
  #onDrain: (() => void)[] = [];

  constructor(head: HttpRequestHead) {
    this.head = head;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.response.catch(() => undefined);
    this.output = {
      write: (chunk) => {
        if (!this.signal.aborted) this.sent.push(chunk);
        return this.hasRoom;
      },
      drained: () => new Promise((resolve) => this.#onDrain.push(resolve)),
      end: () => {
        this.isEnded = true;
      },
    };
    this.body = { read: () => this.#read(), discard: () => void (this.isDiscarded = true) };
  }

  get signal(): AbortSignal {
    return this.#broken.signal;
  }

  get sentText(): string {
    return Buffer.concat(this.sent).toString();
  }

  abort(reason: string): void {
    this.aborts.push(reason);
    this.break('ERR_TUNNEL_STREAM_CANCELLED', reason);
  }

  /** The Host answers. */
  respond(status: number, headers: HttpResponseHead['headers'] = {}): this {
    this.#resolve({ status, headers });
    return this;
  }

  push(text: string): this {
    return this.give(Buffer.from(text));
  }

  give(bytes: Uint8Array): this {
    return this.#give(bytes);
  }

  end(): this {
    return this.#give('end');
  }

  drain(): void {
    this.hasRoom = true;
    for (const resolve of this.#onDrain.splice(0)) resolve();
  }

  break(code: StreamErrorCode, reason = 'scripted'): void {
    if (this.signal.aborted) return;
    const error = new StreamError(code, reason);
    this.#broken.abort(error);
    this.#reject(error);
    this.#onPiece();
    this.drain();
  }

  #give(piece: Piece): this {
    this.#pieces.push(piece);
    this.#onPiece();
    return this;
  }

  async #read(): Promise<Uint8Array | undefined> {
    this.reads += 1;
    for (;;) {
      if (this.signal.aborted) throw this.signal.reason;
      const piece = this.#pieces.shift();
      if (piece !== undefined) return piece === 'end' ? undefined : piece;
      await new Promise<void>((resolve) => {
        this.#onPiece = resolve;
      });
    }
  }
}
