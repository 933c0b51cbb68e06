import {
  type ClientHttpStream,
  type ClientTunnel,
  type HttpRequestHead,
  type IncomingBytes,
  StreamError,
} from '@openchambery/tunnel';
import type { RawResponse } from '../relay-client.ts';
import { RelayClientError } from '../relay-client-error.ts';
import type { BodySource } from './body-source.ts';
import { upload } from './upload.ts';

/** A request that is ready to be sent. */
export interface Call {
  readonly head: HttpRequestHead;
  readonly body: BodySource | undefined;
  readonly signal: AbortSignal | undefined;
  /** What to say when the tunnel is gone. */
  readonly lossError: () => RelayClientError;
}

/**
 * Sends a request once, and resolves with the head of its answer. Rejects with a `RelayClientError`, the reason of the
 * signal, whatever error the body's source came up with, or a TypeError when the head is too large.
 */
export async function exchange(tunnel: ClientTunnel, call: Call): Promise<RawResponse> {
  const body = call.body?.open();
  if (body instanceof ReadableStream && body.locked) throw new TypeError('the body is being read already');
  return await new Exchange(openStream(tunnel, call.head), call).run(body);
}

function openStream(tunnel: ClientTunnel, head: HttpRequestHead): ClientHttpStream {
  try {
    return tunnel.request(head);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new TypeError('the URL and the headers of this request are too large', { cause });
  }
}

class Exchange implements IncomingBytes {
  readonly #stream: ClientHttpStream;
  readonly #call: Call;
  #sourceFailure: { readonly error: unknown } | undefined;
  #isUploading = true;
  #isAnswering = true;

  constructor(stream: ClientHttpStream, call: Call) {
    this.#stream = stream;
    this.#call = call;
    call.signal?.addEventListener('abort', this.#onAbort);
  }

  async run(body: Uint8Array | ReadableStream<Uint8Array> | undefined): Promise<RawResponse> {
    void this.#upload(body);
    try {
      const head = await this.#stream.response;
      // Aborted in the same turn as the answer came: the program was told that it is aborted.
      if (this.#call.signal?.aborted === true) throw this.#call.signal.reason;
      return { ...head, body: this, abort: (reason) => this.#abort(reason) };
    } catch (error) {
      this.#isAnswering = false;
      this.#settle();
      throw this.#explain(error);
    }
  }

  async read(): Promise<Uint8Array | undefined> {
    try {
      const chunk = await this.#stream.body.read();
      if (chunk === undefined) this.#endAnswer();
      return chunk;
    } catch (error) {
      this.#endAnswer();
      throw this.#explain(error);
    }
  }

  discard(): void {
    this.#stream.body.discard();
    this.#endAnswer();
  }

  readonly #onAbort = (): void => this.#stream.abort('cancelled');

  #abort(reason: string): void {
    // Every answer comes to this when its body is collected, and most are over: an error made for nothing costs more than all
    // else that is done for a small one.
    if (this.#isUploading || this.#isAnswering) this.#stream.abort(reason);
    this.#endAnswer();
  }

  async #upload(body: Uint8Array | ReadableStream<Uint8Array> | undefined): Promise<void> {
    try {
      await upload(body, this.#stream);
    } catch (error) {
      this.#sourceFailure = { error };
      this.#stream.abort('the body of the request could not be read');
    }
    this.#isUploading = false;
    this.#settle();
  }

  #endAnswer(): void {
    this.#isAnswering = false;
    this.#settle();
  }

  /** A signal may live as long as the program, so nothing of a request that is over stays with it. */
  #settle(): void {
    if (this.#isUploading && this.#isAnswering) return;
    if (this.#stream.signal.aborted || !(this.#isUploading || this.#isAnswering)) {
      this.#call.signal?.removeEventListener('abort', this.#onAbort);
    }
  }

  #explain(error: unknown): unknown {
    const { signal, lossError } = this.#call;
    if (signal?.aborted === true) return signal.reason;
    if (this.#sourceFailure !== undefined) return this.#sourceFailure.error;
    return error instanceof StreamError ? explainStreamError(error, lossError) : error;
  }
}

/** What the end of a stream means to a program. @param lossError what to say when the tunnel is gone. */
export function explainStreamError(error: StreamError, lossError: () => RelayClientError): RelayClientError {
  const facts = { reason: error.reason, cause: error };
  switch (error.code) {
    case 'ERR_TUNNEL_CLOSED':
      return lossError();
    case 'ERR_TUNNEL_READER_STALLED': {
      const message = 'the answer was not read for too long, and held up everything else';
      return new RelayClientError('ERR_RELAY_CLIENT_READER_STALLED', message, facts);
    }
    case 'ERR_TUNNEL_STREAM_ABORTED':
    case 'ERR_TUNNEL_PROTOCOL':
    case 'ERR_TUNNEL_STREAM_CANCELLED': {
      const message = `the Host gave up on the request: ${error.reason}`;
      return new RelayClientError('ERR_RELAY_CLIENT_ABORTED_BY_HOST', message, facts);
    }
  }
}
