import { FRAME_TYPE } from '../frame/frame-type.ts';
import { parseHttpResponse } from '../frame/http-payloads.ts';
import type { HttpResponseHead } from '../frame/payloads.ts';
import type { TunnelFrame } from '../frame/tunnel-frame.ts';
import { createDeferred } from './deferred.ts';
import { HttpExchange } from './http-exchange.ts';
import type { MuxStream, StreamContext } from './stream-context.ts';
import type { StreamError } from './stream-error.ts';
import type { ClientHttpStream, IncomingBytes, OutgoingBytes } from './streams.ts';

/** An HTTP stream at the Client. */
export class ClientRequest implements ClientHttpStream, MuxStream {
  readonly id: number;
  readonly output: OutgoingBytes;
  readonly body: IncomingBytes;
  readonly #exchange: HttpExchange;
  readonly #response = createDeferred<HttpResponseHead>();
  #isAnswered = false;

  /** @param payload of the HttpRequest */
  constructor(context: StreamContext, id: number, payload: Uint8Array) {
    this.id = id;
    this.#exchange = new HttpExchange(context, id, this.#response.reject);
    this.body = this.#exchange.body;
    this.#exchange.lane.push({
      type: FRAME_TYPE.httpRequest,
      streamId: id,
      bytes: payload,
      isUrgent: true,
    });
    this.output = this.#exchange.openOutput('patient', () => undefined);
  }

  get response(): Promise<HttpResponseHead> {
    return this.#response.promise;
  }

  get signal(): AbortSignal {
    return this.#exchange.life.signal;
  }

  receive(frame: TunnelFrame): void {
    switch (frame.type) {
      case FRAME_TYPE.httpResponse:
        return this.#onResponse(frame.payload);
      case FRAME_TYPE.httpBody:
      case FRAME_TYPE.streamEnd:
        if (!this.#isAnswered) return this.violate('no HttpResponse before the body');
        return this.#exchange.receive(frame);
      default:
        return this.#exchange.receive(frame);
    }
  }

  abort(reason: string): void {
    this.#exchange.cancel(reason);
  }

  violate(reason: string): void {
    this.#exchange.violate(reason);
  }

  break(error: StreamError): void {
    this.#exchange.break(error);
  }

  #onResponse(payload: Uint8Array): void {
    if (this.#isAnswered) return this.violate('second HttpResponse');
    const head = parseHttpResponse(payload);
    if (head === undefined) return this.violate('malformed HttpResponse');
    this.#isAnswered = true;
    this.#response.resolve(head);
  }
}
