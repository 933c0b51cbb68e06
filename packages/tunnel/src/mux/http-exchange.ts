import { FRAME_TYPE } from '../frame/frame-type.ts';
import { formatStreamAbort, parseStreamAbort } from '../frame/socket-payloads.ts';
import type { TunnelFrame } from '../frame/tunnel-frame.ts';
import { IncomingBody } from './incoming-body.ts';
import type { Lane } from './outbox/lane.ts';
import { OutgoingBody } from './outgoing-body.ts';
import type { StreamContext } from './stream-context.ts';
import { StreamError } from './stream-error.ts';
import { StreamLife } from './stream-life.ts';
import type { Urgency } from './streams.ts';

/** What both ends of an HTTP stream share: two bodies, and how the stream ends. */
export class HttpExchange {
  readonly id: number;
  readonly lane: Lane;
  readonly life: StreamLife;
  /** What the other side sends. */
  readonly body: IncomingBody;
  readonly #context: StreamContext;
  readonly #onBroken: (error: StreamError) => void;
  #output: OutgoingBody | undefined;

  /** @param onBroken called once, when the stream ends before its end */
  constructor(context: StreamContext, id: number, onBroken: (error: StreamError) => void) {
    this.id = id;
    this.#context = context;
    this.#onBroken = onBroken;
    this.lane = context.outbox.createLane(() => this.#output?.relieve());
    this.life = new StreamLife(() => {
      this.lane.finish();
      context.forget(id);
    });
    this.body = new IncomingBody(context.gate, (error) => this.#fail(error));
  }

  /** Makes the sending side, once. */
  openOutput(urgency: Urgency, onEnd: () => void): OutgoingBody {
    const { id: streamId, lane, life } = this;
    this.#output = new OutgoingBody({ streamId, lane, life, urgency, onEnd });
    return this.#output;
  }

  receive(frame: TunnelFrame): void {
    switch (frame.type) {
      case FRAME_TYPE.httpBody:
        if (!this.life.mayReceive) return this.violate('HttpBody after StreamEnd');
        return this.body.push(frame.payload);
      case FRAME_TYPE.streamEnd:
        this.body.end();
        return this.life.endReceiving();
      case FRAME_TYPE.streamAbort:
        return this.break(new StreamError('ERR_TUNNEL_STREAM_ABORTED', abortReason(frame.payload)));
      default:
        return this.violate(`frame of type ${frame.type} on an HTTP stream`);
    }
  }

  /** This side gives up, and sends nothing more: what nobody wants must not be begun, and not be ended as if it were whole. */
  cancel(reason: string): void {
    const error = new StreamError('ERR_TUNNEL_STREAM_CANCELLED', reason);
    this.body.cancel(error);
    this.#fail(error);
  }

  /** This side gives up. What it has written still goes: an answer that broke off is worth what came of it. */
  breakOff(reason: string): void {
    const error = new StreamError('ERR_TUNNEL_STREAM_CANCELLED', reason);
    this.body.cancel(error);
    if (!this.#end(error)) return;
    if (this.lane.pieceCount === 0) return this.#context.sendAbort(this.id, reason);
    const bytes = formatStreamAbort({ reason });
    this.lane.push({ type: FRAME_TYPE.streamAbort, streamId: this.id, bytes, isUrgent: true });
  }

  violate(reason: string): void {
    this.#fail(new StreamError('ERR_TUNNEL_PROTOCOL', reason));
  }

  /** The stream ends before its end, and the peer knows. */
  break(error: StreamError): void {
    if (this.#end(error)) this.lane.drop();
  }

  /** The stream ends before its end, and the peer has to be told at once. */
  #fail(error: StreamError): void {
    if (!this.#end(error)) return;
    this.lane.drop();
    this.#context.sendAbort(this.id, error.reason);
  }

  #end(error: StreamError): boolean {
    if (!this.life.break(error)) return false;
    this.body.break(error);
    this.#output?.relieve();
    this.#onBroken(error);
    return true;
  }
}

/** The reason in a StreamAbort, for people; the stream is over whatever it says. */
export function abortReason(payload: Uint8Array): string {
  return parseStreamAbort(payload)?.reason ?? 'no reason given';
}
