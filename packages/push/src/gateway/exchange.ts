import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { type Answer, OK } from './answer.ts';
import type { Delivery } from './delivery.ts';

/** Who hears what comes of an exchange: its session. */
export interface ExchangeOwner {
  /** The push has its answer; the stream may still be open. */
  onAnswer(exchange: Exchange, answer: Answer): void;
  /** The exchange is of no further interest to anybody; its stream may still be open. */
  onReleased(exchange: Exchange): void;
  /** No answer has come in time. */
  onSuspected(exchange: Exchange): void;
}

/** What an {@link Exchange} is made of. */
export interface ExchangeParts {
  readonly delivery: Delivery;
  readonly stream: ClientHttp2Stream;
  readonly bearer: string;
  readonly sentAtMs: number;
  /** More is no answer of the service's. */
  readonly maxAnswerBytes: number;
}

/** One push on one stream and what has come back of its answer. */
export class Exchange {
  readonly stream: ClientHttp2Stream;
  /** The authorization it was sent with. */
  readonly bearer: string;
  /** Monotonic. */
  readonly sentAtMs: number;
  readonly #owner: ExchangeOwner;
  readonly #maxAnswerBytes: number;
  #delivery: Delivery | undefined;
  #head: { readonly status: number; readonly retryAfter: unknown } | undefined;
  #chunks: Buffer[] | undefined;
  #bytes = 0;

  constructor(parts: ExchangeParts, owner: ExchangeOwner) {
    this.#delivery = parts.delivery;
    this.stream = parts.stream;
    this.bearer = parts.bearer;
    this.sentAtMs = parts.sentAtMs;
    this.#owner = owner;
    this.#maxAnswerBytes = parts.maxAnswerBytes;
  }

  /** Who waits for it; undefined once that has its outcome. */
  get delivery(): Delivery | undefined {
    return this.#delivery;
  }

  /** What is known of the answer: a status without the whole of its body counts. */
  get answer(): Answer | undefined {
    const head = this.#head;
    if (head === undefined) return undefined;
    if (head.status === 200) return OK;
    return { ...head, body: Buffer.concat(this.#chunks ?? []) };
  }

  /** @param flags of the HEADERS frame. */
  onResponse(headers: IncomingHttpHeaders & { ':status'?: number }, flags: number): void {
    const status = headers[':status'];
    // Interim answers say nothing yet; what follows a final one is a trailer.
    if (this.#head !== undefined || status === undefined || status < 200) return;
    this.#head = { status, retryAfter: headers['retry-after'] };
    if ((flags & constants.NGHTTP2_FLAG_END_STREAM) === 0) {
      this.stream.on('data', (chunk: Buffer) => this.#onData(chunk));
    } else if (status === 200) {
      this.#owner.onAnswer(this, OK);
    }
  }

  /** Nobody waits any longer: gives back who did. */
  release(): Delivery | undefined {
    const delivery = this.#delivery;
    this.#delivery = undefined;
    if (delivery !== undefined) this.#owner.onReleased(this);
    return delivery;
  }

  /** Nothing that may still come is of interest. */
  abandon(): void {
    this.stream.close(constants.NGHTTP2_CANCEL);
    this.release();
  }

  /** The deadline has passed without any answer: the connection may be dead. */
  suspect(): void {
    this.#owner.onSuspected(this);
  }

  #onData(chunk: Buffer): void {
    if (this.#delivery === undefined) return;
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#maxAnswerBytes) {
      this.#chunks ??= [];
      this.#chunks.push(chunk);
      return;
    }
    // Not the service's: the status has to do, and the rest need not come.
    this.#chunks = undefined;
    const answer = this.answer;
    if (answer !== undefined) this.#owner.onAnswer(this, answer);
    this.stream.close(constants.NGHTTP2_CANCEL);
  }
}
