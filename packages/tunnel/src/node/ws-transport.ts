import type { TransportEnd, TransportListener, TunnelTransport } from '../channel/transport.ts';
import { systemClock, type Clock, type Timer } from '../clock.ts';
import { trimCloseReason } from './close-reason.ts';
import { FrameWriter, type ByteStream } from './frame-writer.ts';
import { release } from './release.ts';
import type { WsData, WsSocket } from './ws-socket.ts';

const OPEN = 1;

/** How long the peer has to answer a close frame before the socket is destroyed, in ms. */
const CLOSE_DEADLINE_MS = 5000;

/** What a transport over `ws` may be given. */
export interface WsTransportOptions {
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /**
   * What is under a client's WebSocket without extensions: the socket of the response in its event `upgrade`. Messages are
   * then framed here, at a fraction of the cost.
   * @default messages are framed by `ws`
   */
  readonly stream?: ByteStream | undefined;
}

/**
 * A transport over an open WebSocket of the npm package `ws`. Make it while `open` is being emitted: from here on nothing
 * is read until somebody listens, so no message is lost. The socket's `maxPayload` bounds a message.
 */
export function createWsTransport(socket: WsSocket, options: WsTransportOptions = {}): TunnelTransport {
  return new WsTransport(socket, options);
}

class WsTransport implements TunnelTransport {
  readonly #socket: WsSocket;
  readonly #clock: Clock;
  readonly #writer: FrameWriter | undefined;
  #listener: TransportListener | undefined;
  #end: TransportEnd | undefined;
  #fault: Error | undefined;
  #isClosing = false;
  /** As with `bufferedAmount` in browsers (WebSockets standard, section 3.1): else a sender would never be held back. */
  #lostBytes = 0;
  #deadline: Timer | undefined;

  constructor(socket: WsSocket, { clock = systemClock, stream }: WsTransportOptions) {
    this.#socket = socket;
    this.#clock = clock;
    this.#writer = stream === undefined ? undefined : new FrameWriter(stream);
    // Otherwise `ws` would put them together, and leave their memory to the collector.
    socket.binaryType = 'fragments';
    socket.pause();
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    // Followed by `close`, which tells.
    socket.on('error', (error) => {
      this.#fault = error;
    });
    socket.on('close', (code, reason) => this.#onClose(code, reason));
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount + this.#lostBytes;
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
    const end = this.#end;
    if (end === undefined) this.#socket.resume();
    else queueMicrotask(() => listener.onClose(end));
  }

  send(message: string | Uint8Array): void {
    if (this.#isClosing || this.#socket.readyState !== OPEN) {
      this.#lostBytes += message.length;
      return;
    }
    if (this.#writer === undefined) this.#socket.send(message, this.#onSent);
    else this.#writer.write(message, this.#onSent);
  }

  pauseReading(): void {
    // The answer to a close frame must be read.
    if (!this.#isClosing) this.#socket.pause();
  }

  resumeReading(): void {
    this.#socket.resume();
  }

  close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#socket.resume();
    this.#socket.close(code, trimCloseReason(reason));
    if (this.#end === undefined) {
      this.#deadline = this.#clock.setTimer(() => this.#socket.terminate(), CLOSE_DEADLINE_MS);
    }
  }

  terminate(): void {
    this.#isClosing = true;
    this.#socket.terminate();
  }

  /** A failed write is followed by `close`; one that went through may have made room. */
  readonly #onSent = (error?: Error | null): void => {
    if (!error && this.#end === undefined) this.#listener?.onDrain();
  };

  #onMessage(data: WsData, isBinary: boolean): void {
    if (this.#isClosing) return;
    const bytes = toBytes(data);
    this.#listener?.onMessage(isBinary ? bytes : bytes.toString());
  }

  #onClose(code: number, reason: Buffer): void {
    this.#deadline?.cancel();
    const text = reason.length > 0 ? reason.toString() : (this.#fault?.message ?? '');
    this.#end = { code, reason: text };
    this.#listener?.onClose(this.#end);
  }
}

/** A relay that passes bytes on as they come cuts messages into frames. */
function toBytes(data: WsData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  if (data instanceof ArrayBuffer) return Buffer.from(data);
  const [first] = data;
  return first !== undefined && data.length === 1 ? first : join(data);
}

function join(frames: readonly Buffer[]): Buffer {
  const message = Buffer.allocUnsafeSlow(frames.reduce((length, frame) => length + frame.length, 0));
  let offset = 0;
  for (const frame of frames) {
    message.set(frame, offset);
    offset += frame.length;
    release(frame);
  }
  return message;
}
