import type { WsCloseInfo } from '../frame/payloads.ts';
import { Fifo } from './fifo.ts';
import type { UnreadAccount } from './reading-gate.ts';
import type { StreamContext } from './stream-context.ts';
import { StreamError } from './stream-error.ts';
import type { TunnelSocketListener } from './streams.ts';
import { unpinned } from './unpinned.ts';

interface WaitingMessage {
  readonly message: string | Uint8Array;
  readonly byteLength: number;
}

type InboxState =
  /** There is nobody to deliver to, or not yet. */
  | { readonly name: 'silent' }
  | { readonly name: 'delivering'; readonly listener: TunnelSocketListener }
  /** The listener has heard of the close. */
  | { readonly name: 'finished' };

/** What an inbox tells the stream it belongs to. */
export interface SocketInboxOwner {
  /** The listener did not take messages for too long; it has been told that the socket is closed. */
  onStalled(error: StreamError): void;
  /** The listener threw: a bug. */
  onBug(): void;
}

/** The receiving side of a WebSocket stream: messages, and at last the close, in order, as fast as the listener likes. */
export class SocketInbox {
  readonly #context: StreamContext;
  readonly #owner: SocketInboxOwner;
  readonly #account: UnreadAccount;
  readonly #messages = new Fifo<WaitingMessage>();
  #state: InboxState = { name: 'silent' };
  #close: WsCloseInfo | undefined;
  #isPaused = false;
  #isDelivering = false;

  constructor(context: StreamContext, owner: SocketInboxOwner) {
    this.#context = context;
    this.#owner = owner;
    this.#account = context.gate.openAccount(() => this.#stall());
  }

  /** Delivers to a listener, from the next microtask on: whoever gave it has to get hold of the socket first. */
  listen(listener: TunnelSocketListener): void {
    queueMicrotask(() => {
      this.#state = { name: 'delivering', listener };
      this.#deliver();
    });
  }

  /** A message came. @param byteLength of it in UTF-8, if it is text */
  push(message: string | Uint8Array, byteLength: number): void {
    if (this.#close !== undefined) return;
    if (this.#state.name === 'delivering' && this.#isIdle) {
      return this.#tell(this.#state.listener, (listener) => listener.onMessage(message));
    }
    const kept = typeof message === 'string' ? message : unpinned(message);
    this.#messages.push({ message: kept, byteLength });
    this.#account.add(byteLength);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#deliver();
  }

  /** The peer takes more again. */
  relieve(): void {
    if (this.#state.name !== 'delivering' || this.#close !== undefined) return;
    this.#tell(this.#state.listener, (listener) => listener.onDrain());
  }

  /** The socket was closed: the listener hears of it after the messages that wait. */
  end(close: WsCloseInfo): void {
    this.#close ??= close;
    this.#deliver();
  }

  /** The socket broke, or was closed by this side: the listener hears of it now. */
  abandon(close: WsCloseInfo): void {
    this.#close ??= close;
    this.#messages.clear();
    this.#account.clear();
    this.#deliver();
  }

  get #isIdle(): boolean {
    return !this.#isPaused && !this.#isDelivering && this.#messages.size === 0;
  }

  #deliver(): void {
    if (this.#isDelivering || this.#state.name !== 'delivering') return;
    const { listener } = this.#state;
    this.#isDelivering = true;
    while (!this.#isPaused) {
      const next = this.#messages.shift();
      if (next === undefined) break;
      this.#account.take(next.byteLength);
      this.#tell(listener, () => listener.onMessage(next.message));
    }
    this.#isDelivering = false;
    const close = this.#close;
    if (close === undefined || this.#messages.size > 0) return;
    this.#state = { name: 'finished' };
    this.#context.attempt(() => listener.onClose(close));
  }

  #tell(listener: TunnelSocketListener, act: (listener: TunnelSocketListener) => void): void {
    if (!this.#context.attempt(() => act(listener))) this.#owner.onBug();
  }

  #stall(): void {
    const error = new StreamError('ERR_TUNNEL_READER_STALLED', 'not read for too long');
    this.abandon({ code: 1006, reason: error.reason });
    this.#owner.onStalled(error);
  }
}
