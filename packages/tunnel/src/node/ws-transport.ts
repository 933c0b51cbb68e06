import type { TransportEnd, TransportListener, TunnelTransport } from '../channel/transport.ts';
import { systemClock, type Clock, type Timer } from '../clock.ts';
import { trimCloseReason } from './close-reason.ts';
import { FrameWriter, type WriteStream } from './frame-writer.ts';
import { ReadMemory, type ReadStream } from './read-memory.ts';
import { release } from './release.ts';
import type { WsData, WsSocket } from './ws-socket.ts';

const OPEN = 1;

/** Small messages share pages. */
const MAX_POOLED_BYTES = 2048;

/** How long the peer has to answer a close frame before the socket is destroyed, in ms. */
const CLOSE_DEADLINE_MS = 5000;

/** The part of a TCP or TLS socket that is used here. */
export interface ByteStream extends WriteStream, ReadStream {}

/** What a transport over `ws` may be given. */
export interface WsTransportOptions {
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /**
   * What is under a client's WebSocket without extensions: the socket of the response in its event `upgrade`. Messages are
   * then framed here, at a fraction of the cost, and what was read is given back at once.
   * @default messages are framed by `ws`, and memory is left to the collector
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
  readonly #readMemory: ReadMemory | undefined;
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
    if (stream !== undefined) {
      this.#writer = new FrameWriter(stream);
      this.#readMemory = new ReadMemory(stream);
      // The answer to it has its bytes, and may wait for long.
      socket.on('ping', (data) => data.length > 0 && this.#readMemory?.keep());
    }
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
    const frames = data instanceof ArrayBuffer ? [Buffer.from(data)] : Array.isArray(data) ? data : [data];
    for (const { length } of frames) this.#readMemory?.noteFrame(length);
    if (this.#isClosing) return;
    const [first] = frames;
    const isAlone = first !== undefined && frames.length === 1;
    // A text is copied when it is decoded.
    const isOwn = isAlone && !(isBinary && this.#readMemory?.has(first) === true);
    const bytes = isOwn ? first : join(frames);
    this.#listener?.onMessage(isBinary ? bytes : bytes.toString());
  }

  #onClose(code: number, reason: Buffer): void {
    this.#deadline?.cancel();
    const text = reason.length > 0 ? reason.toString() : (this.#fault?.message ?? '');
    this.#end = { code, reason: text };
    this.#listener?.onClose(this.#end);
  }
}

/** Puts the frames of a message together: a relay that passes bytes on as they come cuts messages. */
function join(frames: readonly Buffer[]): Buffer {
  const size = frames.reduce((length, frame) => length + frame.length, 0);
  // A large one not from the pool: whoever is done with it can give it back.
  const message = size <= MAX_POOLED_BYTES ? Buffer.allocUnsafe(size) : Buffer.allocUnsafeSlow(size);
  let offset = 0;
  for (const frame of frames) {
    message.set(frame, offset);
    offset += frame.length;
    release(frame);
  }
  return message;
}
