import { FRAME_TYPE } from '../frame/frame-type.ts';
import type { WsOpenedHead, WsOpenHead } from '../frame/payloads.ts';
import { formatWsOpened } from '../frame/socket-payloads.ts';
import type { TunnelFrame } from '../frame/tunnel-frame.ts';
import { SocketStream } from './socket-stream.ts';
import type { MuxStream, StreamContext } from './stream-context.ts';
import type { StreamError } from './stream-error.ts';
import type { HostSocketStream, TunnelSocket, TunnelSocketListener } from './streams.ts';

/** A WebSocket stream at the Host, from WsOpen on. */
export class HostSocket implements HostSocketStream, MuxStream {
  readonly id: number;
  readonly request: WsOpenHead;
  readonly #socket: SocketStream;

  constructor(context: StreamContext, id: number, request: WsOpenHead) {
    this.id = id;
    this.request = request;
    this.#socket = new SocketStream(context, id, () => {
      // Before it is accepted, `signal` says so; after that, the listener.
    });
  }

  get signal(): AbortSignal {
    return this.#socket.life.signal;
  }

  accept(head: WsOpenedHead, listener: TunnelSocketListener): TunnelSocket {
    if (this.#socket.isOpen) throw new Error('a WebSocket is accepted once');
    const payload = formatWsOpened(head);
    if (payload === undefined) throw new RangeError('the subprotocol does not fit a frame');
    this.#socket.sendHead(FRAME_TYPE.wsOpened, payload);
    this.#socket.open(listener);
    return this.#socket;
  }

  abort(reason: string): void {
    this.#socket.abort(reason);
  }

  receive(frame: TunnelFrame): void {
    this.#socket.receive(frame);
  }

  violate(reason: string): void {
    this.#socket.violate(reason);
  }

  break(error: StreamError): void {
    this.#socket.break(error);
  }
}
