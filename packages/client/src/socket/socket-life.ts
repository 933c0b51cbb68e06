import type { TunnelSocketListener, WsCloseInfo, WsOpenHead } from '@openchambery/tunnel';
import type { TunnelSource } from '../connection/tunnel-source.ts';
import { type OpenedStream, type OpeningStream, openStream } from './open-stream.ts';
import { Outbox } from './outbox.ts';

/** What the life of a WebSocket tells, in this order; `onClosed` once and last. */
export interface SocketLifeListener {
  onOpen(protocol: string): void;
  onMessage(message: string | Uint8Array): void;
  /** Never from within a call. `error` is there when it failed. */
  onClosed(close: WsCloseInfo, error?: { readonly error: unknown }): void;
}

type State =
  | { readonly kind: 'connecting'; readonly opening: OpeningStream }
  | { readonly kind: 'open'; readonly stream: OpenedStream; readonly outbox: Outbox }
  /** `outbox` while what was sent before is still on its way. */
  | { readonly kind: 'closing'; readonly outbox: Outbox | undefined }
  | { readonly kind: 'closed' };

/** RFC 6455 section 7.4.1. */
const ABNORMAL = 1006;

/** connecting → open → closing → closed. */
export class SocketLife implements TunnelSocketListener {
  readonly #listener: SocketLifeListener;
  #state: State;
  /** What came before the program was told that it is open. */
  #early: (() => void)[] = [];
  #isEnding = false;

  constructor(source: TunnelSource, head: WsOpenHead, listener: SocketLifeListener) {
    this.#listener = listener;
    const opening = openStream(source, head, this);
    this.#state = { kind: 'connecting', opening };
    opening.opened.then(
      (stream) => this.#onOpened(stream),
      (error: unknown) => {
        if (this.#state.kind === 'connecting') this.#fail(error);
      },
    );
  }

  get state(): State['kind'] {
    return this.#state.kind;
  }

  get bufferedBytes(): number {
    const { kind } = this.#state;
    if (kind === 'open' || kind === 'closing') return this.#state.outbox?.bufferedBytes ?? 0;
    return 0;
  }

  /** Where to send to; `undefined` unless open. */
  get outbox(): Outbox | undefined {
    return this.#state.kind === 'open' ? this.#state.outbox : undefined;
  }

  /** Closes after what was sent. @param told what is told in the end, where that differs from what is sent. */
  close(close: WsCloseInfo, told: WsCloseInfo = close): void {
    const state = this.#state;
    if (state.kind === 'connecting') {
      state.opening.abort();
      const error = new DOMException('closed before the connection was established', 'AbortError');
      this.#fail(error);
    } else if (state.kind === 'open') {
      const { outbox, stream } = state;
      this.#state = { kind: 'closing', outbox };
      outbox.whenEmpty(() => {
        this.#end(told);
        stream.socket.close(close.code, close.reason);
      });
    }
  }

  /** Closes at once, without what still waits for a Blob. */
  closeNow(close: WsCloseInfo): void {
    if (this.#state.kind === 'open') this.#state.outbox.drop();
    this.close(close);
  }

  onMessage(message: string | Uint8Array): void {
    this.#inOrder(() => {
      // Once this side is closing, what comes is not wanted any more.
      if (this.#state.kind === 'open') this.#listener.onMessage(message);
    });
  }

  onDrain(): void {
    // `bufferedAmount` is asked for, not told.
  }

  onClose(close: WsCloseInfo): void {
    this.#inOrder(() => {
      if (close.code === ABNORMAL) this.#fail(new Error(close.reason || 'the Host gave up on the WebSocket'));
      else this.#end(close);
    });
  }

  #onOpened(stream: OpenedStream): void {
    if (this.#state.kind !== 'connecting') {
      stream.socket.abort('the WebSocket was closed before it was open');
      return;
    }
    const outbox = new Outbox(stream.socket, (error) => {
      stream.socket.abort('a message could not be read');
      this.#fail(error);
    });
    this.#state = { kind: 'open', stream, outbox };
    this.#listener.onOpen(stream.protocol);
    for (const step of this.#early) step();
    this.#early = [];
  }

  #inOrder(step: () => void): void {
    if (this.#state.kind === 'connecting') this.#early.push(step);
    else step();
  }

  #fail(error: unknown): void {
    this.#end({ code: ABNORMAL, reason: '' }, { error });
  }

  /** The events come in a turn of their own: a program that closes sees `CLOSING` first. */
  #end(close: WsCloseInfo, error?: { readonly error: unknown }): void {
    if (this.#state.kind === 'closed' || this.#isEnding) return;
    this.#isEnding = true;
    this.#state = { kind: 'closing', outbox: undefined };
    queueMicrotask(() => {
      this.#state = { kind: 'closed' };
      this.#listener.onClosed(close, error);
    });
  }
}
