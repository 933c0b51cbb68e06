import { systemClock, type Timer, type TransportListener, type TunnelTransport } from '@openchambery/tunnel';
import { ABNORMAL, CLOSE_DEADLINE_MS, toPageClose, UNKNOWN_FAILURE } from './close-of-page.ts';
import type { DialListener, Dialling } from './dial.ts';

/** How often it is looked whether bytes have left, while some wait, in ms: there is no event for it. */
const POLL_MS = 10;

/** Opens a WebSocket of the platform, which cannot stop reading. */
export function dialWebSocket(url: string, listener: DialListener): Dialling {
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  let isOver = false;
  socket.onopen = () => {
    isOver = true;
    listener.onOpen(new WebSocketTransport(socket));
  };
  socket.onclose = () => {
    if (isOver) return;
    isOver = true;
    listener.onFail({ message: UNKNOWN_FAILURE });
  };
  return {
    cancel: () => {
      if (isOver) return;
      isOver = true;
      socket.onopen = null;
      socket.close();
    },
  };
}

class WebSocketTransport implements TunnelTransport {
  readonly #socket: WebSocket;
  #listener: TransportListener | undefined;
  #poll: Timer | undefined;
  #deadline: Timer | undefined;
  #isClosing = false;
  #isOver = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
    this.#socket.onmessage = ({ data }: MessageEvent) => {
      if (this.#isClosing || this.#isOver) return;
      listener.onMessage(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer));
    };
    this.#socket.onclose = ({ code, reason }) => this.#end(code, reason);
  }

  send(message: string | Uint8Array): void {
    if (this.#isClosing || this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(message);
    this.#watch();
  }

  pauseReading(): void {
    // Cannot be done; the tunnel bounds what lies unread.
  }

  resumeReading(): void {
    // Was not paused.
  }

  close(code: number, reason: string): void {
    if (this.#isClosing || this.#isOver) return;
    this.#isClosing = true;
    this.#deadline = systemClock.setTimer(() => this.#end(ABNORMAL, ''), CLOSE_DEADLINE_MS);
    const close = toPageClose(code, reason);
    this.#socket.close(close.code, close.reason);
  }

  terminate(): void {
    // The browser takes its time with a peer that is dead, and nobody waits for it.
    if (!this.#isClosing) this.#socket.close();
    this.#isClosing = true;
    queueMicrotask(() => this.#end(ABNORMAL, ''));
  }

  #watch(): void {
    if (this.#poll !== undefined || this.#socket.bufferedAmount === 0) return;
    const before = this.#socket.bufferedAmount;
    this.#poll = systemClock.setTimer(() => {
      this.#poll = undefined;
      if (this.#isOver) return;
      if (this.#socket.bufferedAmount < before) this.#listener?.onDrain();
      this.#watch();
    }, POLL_MS);
  }

  #end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline?.cancel();
    this.#poll?.cancel();
    this.#listener?.onClose({ code, reason });
  }
}
