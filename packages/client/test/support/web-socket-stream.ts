import { WebSocket } from 'ws';

interface Opened {
  readonly readable: ReadableStream<string | Uint8Array>;
  readonly writable: WritableStream<string | Uint8Array>;
}

/** What some browsers have as WebSocketStream, as far as it is used: made of `ws`, which can stop reading too. */
export class TestWebSocketStream {
  /** All that were made, newest last. */
  static readonly made: TestWebSocketStream[] = [];
  readonly opened: Promise<Opened>;
  readonly closed: Promise<{ readonly closeCode: number; readonly reason: string }>;
  readonly socket: WebSocket;

  constructor(url: string, { signal }: { readonly signal: AbortSignal }) {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    this.socket = socket;
    signal.addEventListener('abort', () => socket.terminate());
    const readable = this.#readable();
    this.closed = new Promise((resolve, reject) => {
      socket.on('close', (code, reason) => {
        if (code === 1006) reject(new Error('closed without a close frame'));
        else resolve({ closeCode: code, reason: reason.toString() });
      });
    });
    this.opened = new Promise((resolve, reject) => {
      socket.on('open', () => resolve({ readable, writable: this.#writable() }));
      socket.on('error', () => reject(new Error('the connection failed')));
    });
    TestWebSocketStream.made.push(this);
  }

  close(info?: { readonly closeCode: number; readonly reason: string }): void {
    // A page may not say others.
    if (info !== undefined && info.closeCode !== 1000 && info.closeCode < 3000)
      throw new Error('InvalidAccessError');
    this.socket.close(info?.closeCode, info?.reason);
  }

  #readable(): ReadableStream<string | Uint8Array> {
    const { socket } = this;
    return new ReadableStream(
      {
        start: (controller) => {
          socket.on('message', (data: Buffer, isBinary) => {
            controller.enqueue(isBinary ? new Uint8Array(data) : data.toString());
            if ((controller.desiredSize ?? 0) <= 0) socket.pause();
          });
          socket.on('close', (code) => {
            if (code === 1006) controller.error(new Error('closed without a close frame'));
            else controller.close();
          });
        },
        pull: () => socket.resume(),
      },
      { highWaterMark: 1 },
    );
  }

  #writable(): WritableStream<string | Uint8Array> {
    return new WritableStream({
      write: (message) =>
        new Promise((resolve, reject) => {
          this.socket.send(message, (error) => (error ? reject(error) : resolve()));
        }),
    });
  }
}
