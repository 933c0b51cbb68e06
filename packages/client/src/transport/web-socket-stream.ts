import { systemClock, type Timer, type TransportListener, type TunnelTransport } from '@openchambery/tunnel';
import { ABNORMAL, CLOSE_DEADLINE_MS, toPageClose, UNKNOWN_FAILURE } from './close-of-page.ts';
import type { DialListener, Dialling } from './dial.ts';

type Message = string | Uint8Array | ArrayBuffer;

interface CloseOfSocket {
  readonly closeCode?: number;
  readonly reason?: string;
}

interface Streams {
  readonly readable: ReadableStream<Message>;
  readonly writable: WritableStream<string | Uint8Array>;
}

/** A WebSocket that is two streams; only some browsers have it. */
interface SocketOfStreams {
  readonly opened: Promise<Streams>;
  readonly closed: Promise<CloseOfSocket>;
  close(info?: { readonly closeCode: number; readonly reason: string }): void;
}

type WebSocketStreamClass = new (url: string, options: { readonly signal: AbortSignal }) => SocketOfStreams;

/** The class, where the browser has it. */
export function findWebSocketStream(): WebSocketStreamClass | undefined {
  return (globalThis as { readonly WebSocketStream?: WebSocketStreamClass }).WebSocketStream;
}

/** Opens a WebSocket whose reading can be stopped. */
export function dialWebSocketStream(url: string, listener: DialListener): Dialling {
  const WebSocketStream = findWebSocketStream();
  if (WebSocketStream === undefined) throw new TypeError('there is no WebSocketStream here');
  const dialling = new AbortController();
  const socket = new WebSocketStream(url, { signal: dialling.signal });
  let isOver = false;
  socket.opened.then(
    (streams) => {
      const wasCancelled = isOver;
      isOver = true;
      return wasCancelled ? socket.close() : listener.onOpen(new StreamTransport(socket, streams));
    },
    (cause: unknown) => {
      if (isOver) return;
      isOver = true;
      listener.onFail({ message: UNKNOWN_FAILURE, cause });
    },
  );
  // Tells the same as `opened` while that fails.
  socket.closed.catch(() => undefined);
  return {
    cancel: () => {
      if (isOver) return;
      isOver = true;
      dialling.abort();
    },
  };
}

class StreamTransport implements TunnelTransport {
  readonly #socket: SocketOfStreams;
  readonly #reader: ReadableStreamDefaultReader<Message>;
  readonly #writer: WritableStreamDefaultWriter<string | Uint8Array>;
  #listener: TransportListener | undefined;
  #bufferedBytes = 0;
  #reading: Promise<void> = Promise.resolve();
  #isPaused = false;
  #isReading = false;
  #isClosing = false;
  #isOver = false;
  #deadline: Timer | undefined;

  constructor(socket: SocketOfStreams, { readable, writable }: Streams) {
    this.#socket = socket;
    this.#reader = readable.getReader();
    this.#writer = writable.getWriter();
    // It ends as the socket's `closed` says.
    this.#writer.closed.catch(() => undefined);
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
    this.#socket.closed.then(
      (close) => this.#endAfterReading(close),
      () => this.#end(ABNORMAL, ''),
    );
    this.#reading = this.#read();
  }

  send(message: string | Uint8Array): void {
    if (this.#isClosing || this.#isOver) return;
    // Texts are handshakes, in ASCII.
    const bytes = message.length;
    this.#bufferedBytes += bytes;
    const onSent = (): void => {
      this.#bufferedBytes -= bytes;
      if (!this.#isOver) this.#listener?.onDrain();
    };
    // A failed write is followed by `closed`, which tells.
    this.#writer.write(message).then(onSent, onSent);
  }

  pauseReading(): void {
    // The answer to a close frame must be read.
    this.#isPaused = !this.#isClosing;
  }

  resumeReading(): void {
    this.#isPaused = false;
    if (!this.#isReading) this.#reading = this.#read();
  }

  close(code: number, reason: string): void {
    if (this.#isClosing || this.#isOver) return;
    this.#isClosing = true;
    this.#deadline = systemClock.setTimer(() => this.#end(ABNORMAL, ''), CLOSE_DEADLINE_MS);
    const close = toPageClose(code, reason);
    this.#socket.close({ closeCode: close.code, reason: close.reason });
    this.resumeReading();
  }

  terminate(): void {
    if (!this.#isClosing) this.#socket.close();
    this.#isClosing = true;
    this.resumeReading();
    queueMicrotask(() => this.#end(ABNORMAL, ''));
  }

  /** Until there is no more, or it is paused. */
  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (!this.#isPaused) {
        const { done, value } = await this.#reader.read();
        if (done) return;
        if (this.#isClosing || this.#isOver) continue;
        this.#listener?.onMessage(value instanceof ArrayBuffer ? new Uint8Array(value) : value);
      }
    } catch {
      // `closed` tells of it.
    } finally {
      this.#isReading = false;
    }
  }

  /** What came before the close is told before it. */
  async #endAfterReading({ closeCode = ABNORMAL, reason = '' }: CloseOfSocket): Promise<void> {
    this.resumeReading();
    await this.#reading;
    this.#end(closeCode, reason);
  }

  #end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline?.cancel();
    this.#listener?.onClose({ code, reason });
  }
}
