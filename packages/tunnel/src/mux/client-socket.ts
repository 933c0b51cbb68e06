import { FRAME_TYPE } from '../frame/frame-type.ts';
import type { WsOpenedHead } from '../frame/payloads.ts';
import { parseWsOpened } from '../frame/socket-payloads.ts';
import type { TunnelFrame } from '../frame/tunnel-frame.ts';
import { createDeferred } from './deferred.ts';
import { SocketStream } from './socket-stream.ts';
import type { MuxStream, StreamContext } from './stream-context.ts';
import type { StreamError } from './stream-error.ts';
import type { ClientSocketOpening, TunnelSocket, TunnelSocketListener } from './streams.ts';

/** What a WebSocket stream of the Client is made of. */
export interface SocketToOpen {
  readonly id: number;
  /** Of the WsOpen. */
  readonly payload: Uint8Array;
  readonly listener: TunnelSocketListener;
}

/** A WebSocket stream at the Client, from WsOpen on. */
export class ClientSocket implements ClientSocketOpening, MuxStream {
  readonly #socket: SocketStream;
  readonly #listener: TunnelSocketListener;
  readonly #opened = createDeferred<{ readonly socket: TunnelSocket; readonly head: WsOpenedHead }>();

  constructor(context: StreamContext, { id, payload, listener }: SocketToOpen) {
    this.#listener = listener;
    this.#socket = new SocketStream(context, id, this.#opened.reject);
    this.#socket.sendHead(FRAME_TYPE.wsOpen, payload);
  }

  get opened(): Promise<{ readonly socket: TunnelSocket; readonly head: WsOpenedHead }> {
    return this.#opened.promise;
  }

  abort(reason: string): void {
    if (!this.#socket.isOpen) this.#socket.abort(reason);
  }

  receive(frame: TunnelFrame): void {
    switch (frame.type) {
      case FRAME_TYPE.wsOpened:
        return this.#onOpened(frame.payload);
      case FRAME_TYPE.wsText:
      case FRAME_TYPE.wsBinary:
        if (!this.#socket.isOpen) return this.violate('message before WsOpened');
        return this.#socket.receive(frame);
      default:
        return this.#socket.receive(frame);
    }
  }

  violate(reason: string): void {
    this.#socket.violate(reason);
  }

  break(error: StreamError): void {
    this.#socket.break(error);
  }

  #onOpened(payload: Uint8Array): void {
    if (this.#socket.isOpen) return this.violate('second WsOpened');
    const head = parseWsOpened(payload);
    if (head === undefined) return this.violate('malformed WsOpened');
    this.#opened.resolve({ socket: this.#socket, head });
    this.#socket.open(this.#listener);
  }
}
