import { FragmentAssembler } from '../frame/fragment-assembler.ts';
import { FRAME_TYPE, type FrameType } from '../frame/frame-type.ts';
import { encodeUtf8 } from '../frame/json.ts';
import { formatWsClose, parseWsClose } from '../frame/socket-payloads.ts';
import type { TunnelFrame } from '../frame/tunnel-frame.ts';
import { MAX_MESSAGE_BYTES } from '../limits.ts';
import { abortReason } from './http-exchange.ts';
import type { Lane } from './outbox/lane.ts';
import { SocketInbox } from './socket-inbox.ts';
import type { MuxStream, StreamContext } from './stream-context.ts';
import { StreamError } from './stream-error.ts';
import { StreamLife } from './stream-life.ts';
import type { TunnelSocket, TunnelSocketListener } from './streams.ts';

/** A WebSocket stream, at either end; one that nobody listens to yet is still being opened. */
export class SocketStream implements TunnelSocket, MuxStream {
  readonly id: number;
  readonly life: StreamLife;
  readonly #context: StreamContext;
  readonly #onBroken: (error: StreamError) => void;
  readonly #lane: Lane;
  readonly #inbox: SocketInbox;
  readonly #assembler = new FragmentAssembler();
  #partialBytes = 0;
  #isOpen = false;

  /** @param onBroken called once, when the stream ends other than by a close */
  constructor(context: StreamContext, id: number, onBroken: (error: StreamError) => void) {
    this.id = id;
    this.#context = context;
    this.#onBroken = onBroken;
    this.#inbox = new SocketInbox(context, {
      onStalled: (error) => this.#fail(error),
      onBug: () => this.abort('internal error'),
    });
    this.#lane = context.outbox.createLane(() => this.#inbox.relieve());
    this.life = new StreamLife(() => {
      this.#setPartial(0);
      this.#lane.finish();
      context.forget(id);
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get bufferedBytes(): number {
    return this.#lane.bytes;
  }

  /** Both sides agree: messages may be sent, and the listener hears of them. */
  open(listener: TunnelSocketListener): void {
    this.#isOpen = true;
    this.#inbox.listen(listener);
  }

  /** Sends a frame that belongs to the opening. */
  sendHead(type: FrameType, bytes: Uint8Array): void {
    if (this.life.maySend) this.#lane.push({ type, streamId: this.id, bytes, isUrgent: true });
  }

  send(message: string | Uint8Array): boolean {
    // No character takes less than a byte: what is too long is not even encoded.
    if (message.length > MAX_MESSAGE_BYTES) throw tooLong();
    const bytes = typeof message === 'string' ? encodeUtf8(message) : message;
    if (bytes.length > MAX_MESSAGE_BYTES) throw tooLong();
    if (!this.life.maySend) return true;
    const type = typeof message === 'string' ? FRAME_TYPE.wsText : FRAME_TYPE.wsBinary;
    return this.#lane.push({ type, streamId: this.id, bytes, isUrgent: true });
  }

  pause(): void {
    this.#inbox.pause();
  }

  resume(): void {
    this.#inbox.resume();
  }

  close(code: number, reason: string): void {
    if (!Number.isInteger(code) || code < 1000 || code > 4999) {
      throw new RangeError(`a close code is 1000 to 4999, got ${code}`);
    }
    if (this.life.isOver) return;
    this.sendHead(FRAME_TYPE.wsClose, formatWsClose({ code, reason }));
    this.life.end();
    this.#inbox.abandon({ code, reason });
  }

  abort(reason: string): void {
    const error = new StreamError('ERR_TUNNEL_STREAM_CANCELLED', reason);
    // Also when the peer has closed it and the listener has not heard of everything yet.
    this.#inbox.abandon(closeFor(error));
    this.#fail(error);
  }

  receive(frame: TunnelFrame): void {
    switch (frame.type) {
      case FRAME_TYPE.wsText:
      case FRAME_TYPE.wsBinary:
        return this.#onFragment(frame);
      case FRAME_TYPE.wsClose:
        return this.#onClose(frame.payload);
      case FRAME_TYPE.streamAbort:
        return this.break(new StreamError('ERR_TUNNEL_STREAM_ABORTED', abortReason(frame.payload)));
      default:
        return this.violate(`frame of type ${frame.type} on a WebSocket stream`);
    }
  }

  violate(reason: string): void {
    this.#fail(new StreamError('ERR_TUNNEL_PROTOCOL', reason));
  }

  /** The stream ends other than by a close, and the peer knows. */
  break(error: StreamError): void {
    if (!this.life.break(error)) return;
    this.#lane.drop();
    this.#inbox.abandon(closeFor(error));
    this.#onBroken(error);
  }

  #fail(error: StreamError): void {
    if (this.life.isOver) return;
    this.break(error);
    this.#context.sendAbort(this.id, error.reason);
  }

  #onFragment(frame: TunnelFrame): void {
    const byteLength = this.#assembler.bufferedBytes + frame.payload.length;
    const assembled = this.#assembler.add(frame);
    switch (assembled.state) {
      case 'incomplete':
        this.#setPartial(byteLength);
        if (this.#context.partialMessages.isExceeded) this.violate('too much in messages that are not whole');
        return;
      case 'message':
        this.#setPartial(0);
        return this.#inbox.push(assembled.message, byteLength);
      case 'fault':
        return this.violate(assembled.reason);
    }
  }

  #onClose(payload: Uint8Array): void {
    const close = parseWsClose(payload);
    if (close === undefined) return this.violate('malformed WsClose');
    if (!this.#isOpen) {
      const reason = `closed with ${close.code} while it was being opened: ${close.reason}`;
      return this.break(new StreamError('ERR_TUNNEL_STREAM_ABORTED', reason));
    }
    // Nobody at the other end wants what waits.
    this.#lane.drop();
    this.life.end();
    this.#inbox.end(close);
  }

  #setPartial(byteLength: number): void {
    this.#context.partialMessages.change(this.#partialBytes, byteLength);
    this.#partialBytes = byteLength;
  }
}

/** What a listener hears when a stream broke. */
function closeFor(error: StreamError): { readonly code: number; readonly reason: string } {
  return { code: error.code === 'ERR_TUNNEL_CLOSED' ? 1012 : 1006, reason: error.reason };
}

function tooLong(): RangeError {
  return new RangeError(`a message has at most ${MAX_MESSAGE_BYTES} bytes`);
}
