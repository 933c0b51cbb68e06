import { FRAME_TYPE } from '../frame/frame-type.ts';
import { formatHttpResponse } from '../frame/http-payloads.ts';
import type { HttpRequestHead, HttpResponseHead } from '../frame/payloads.ts';
import type { TunnelFrame } from '../frame/tunnel-frame.ts';
import { HttpExchange } from './http-exchange.ts';
import type { MuxStream, StreamContext } from './stream-context.ts';
import type { StreamError } from './stream-error.ts';
import type { HostHttpStream, IncomingBytes, OutgoingBytes, Urgency } from './streams.ts';

/** An HTTP stream at the Host. */
export class HostRequest implements HostHttpStream, MuxStream {
  readonly id: number;
  readonly request: HttpRequestHead;
  readonly body: IncomingBytes;
  readonly #exchange: HttpExchange;
  #isAnswered = false;

  constructor(context: StreamContext, id: number, request: HttpRequestHead) {
    this.id = id;
    this.request = request;
    this.#exchange = new HttpExchange(context, id, () => {
      // Whoever answers hears of it by `signal`.
    });
    this.body = this.#exchange.body;
  }

  get signal(): AbortSignal {
    return this.#exchange.life.signal;
  }

  respond(head: HttpResponseHead, urgency: Urgency = 'patient'): OutgoingBytes | undefined {
    if (this.#isAnswered) throw new Error('a request is answered once');
    const bytes = formatHttpResponse(head);
    if (bytes === undefined) return undefined;
    this.#isAnswered = true;
    const { lane, life, body } = this.#exchange;
    const output = this.#exchange.openOutput(urgency, () => body.stopHeeding());
    if (!life.isOver) {
      lane.push({ type: FRAME_TYPE.httpResponse, streamId: this.id, bytes, isUrgent: true });
    }
    return output;
  }

  receive(frame: TunnelFrame): void {
    this.#exchange.receive(frame);
  }

  abort(reason: string): void {
    this.#exchange.breakOff(reason);
  }

  violate(reason: string): void {
    this.#exchange.violate(reason);
  }

  break(error: StreamError): void {
    this.#exchange.break(error);
  }
}
