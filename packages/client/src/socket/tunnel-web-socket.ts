import { MAX_MESSAGE_BYTES, type WsCloseInfo } from '@openchambery/tunnel';
import type { TunnelSource } from '../connection/tunnel-source.ts';
import { withSecret } from '../http/headers.ts';
import type { TunnelWebSocketConstructor } from '../relay-client.ts';
import { createCloseEvent } from './close-event.ts';
import { EventHandlers, type Handler } from './event-handlers.ts';
import { byteLength } from './outbox.ts';
import { checkClose, readSocketArguments } from './socket-arguments.ts';
import { SocketLife } from './socket-life.ts';

/** RFC 6455 section 7.4.1. */
const NO_CODE = 1005;
const ABNORMAL = 1006;

const READY_STATE = { connecting: 0, open: 1, closing: 2, closed: 3 } as const;

/** What WebSockets are made with. */
export interface SocketParts {
  readonly base: URL;
  readonly secret: string | undefined;
  readonly source: TunnelSource;
  /** Those that are not closed yet: each adds itself and takes itself away. */
  readonly open: Set<{ closeNow(close: WsCloseInfo): void }>;
}

type BinaryType = 'blob' | 'arraybuffer';
type Sendable = string | ArrayBufferLike | ArrayBufferView | Blob;

/** A WebSocket within the tunnel, with the interface of the standard (WebSockets, section 3). */
export class TunnelWebSocketTarget extends EventTarget {
  static readonly CONNECTING: 0 = READY_STATE.connecting;
  static readonly OPEN: 1 = READY_STATE.open;
  static readonly CLOSING: 2 = READY_STATE.closing;
  static readonly CLOSED: 3 = READY_STATE.closed;
  readonly CONNECTING: 0 = READY_STATE.connecting;
  readonly OPEN: 1 = READY_STATE.open;
  readonly CLOSING: 2 = READY_STATE.closing;
  readonly CLOSED: 3 = READY_STATE.closed;
  readonly extensions = '';
  readonly url: string;
  readonly #origin: string;
  readonly #life: SocketLife;
  readonly #handlers = new EventHandlers(this);
  #protocol = '';
  #binaryType: BinaryType = 'blob';
  /** What was given to `send` too late: it counts as waiting for ever. */
  #unsentBytes = 0;

  constructor(parts: SocketParts, input: string | URL, protocols: string | readonly string[]) {
    super();
    const { url, protocols: asked } = readSocketArguments(parts.base, input, protocols);
    this.url = url.href;
    this.#origin = url.origin;
    const target = { path: url.pathname, query: url.search.slice(1), headers: withSecret({}, parts.secret) };
    const head = asked.length === 0 ? target : { ...target, protocols: asked };
    const life = new SocketLife(parts.source, head, {
      onOpen: (protocol) => this.#tellOpen(protocol),
      onMessage: (message) => this.#tellMessage(message),
      onClosed: (close, error) => {
        parts.open.delete(life);
        this.#tellClosed(close, error);
      },
    });
    this.#life = life;
    parts.open.add(life);
  }

  get readyState(): number {
    return READY_STATE[this.#life.state];
  }

  get bufferedAmount(): number {
    return this.#life.bufferedBytes + this.#unsentBytes;
  }

  get protocol(): string {
    return this.#protocol;
  }

  get binaryType(): BinaryType {
    return this.#binaryType;
  }

  set binaryType(type: BinaryType) {
    // A value that is none is ignored, as of any enumeration of the platform.
    if (type === 'blob' || type === 'arraybuffer') this.#binaryType = type;
  }

  /** Throws a RangeError for more than `MAX_MESSAGE_BYTES`, which no tunnel carries. */
  send(data: Sendable): void {
    if (this.#life.state === 'connecting') {
      throw new DOMException('the WebSocket is not open yet', 'InvalidStateError');
    }
    const { outbox } = this.#life;
    if (data instanceof Blob) {
      if (data.size > MAX_MESSAGE_BYTES) throw tooLarge(data.size);
      if (outbox === undefined) this.#unsentBytes += data.size;
      else outbox.sendBlob(data);
      return;
    }
    const message = toMessage(data);
    if (outbox === undefined) this.#unsentBytes += byteLength(message);
    else outbox.send(message);
  }

  close(code?: number, reason = ''): void {
    checkClose(code, reason);
    // The tunnel has no close without a code; the program is told what it would be told elsewhere.
    if (code === undefined) this.#life.close({ code: 1000, reason }, { code: NO_CODE, reason });
    else this.#life.close({ code, reason });
  }

  get onopen(): Handler {
    return this.#handlers.get('open');
  }

  set onopen(handler: Handler) {
    this.#handlers.set('open', handler);
  }

  get onmessage(): Handler {
    return this.#handlers.get('message');
  }

  set onmessage(handler: Handler) {
    this.#handlers.set('message', handler);
  }

  get onerror(): Handler {
    return this.#handlers.get('error');
  }

  set onerror(handler: Handler) {
    this.#handlers.set('error', handler);
  }

  get onclose(): Handler {
    return this.#handlers.get('close');
  }

  set onclose(handler: Handler) {
    this.#handlers.set('close', handler);
  }

  #tellOpen(protocol: string): void {
    this.#protocol = protocol;
    this.dispatchEvent(new Event('open'));
  }

  #tellMessage(message: string | Uint8Array): void {
    const data = typeof message === 'string' ? message : this.#toBinary(message);
    this.dispatchEvent(new MessageEvent('message', { data, origin: this.#origin }));
  }

  #toBinary(bytes: Uint8Array): Blob | ArrayBuffer {
    // Copied: what arrives is a view into all that came with it.
    const { buffer } = new Uint8Array(bytes);
    return this.#binaryType === 'blob' ? new Blob([buffer]) : buffer;
  }

  #tellClosed({ code, reason }: WsCloseInfo, failure: { readonly error: unknown } | undefined): void {
    if (failure !== undefined) {
      // Beyond the standard, which says nothing of why.
      this.dispatchEvent(Object.assign(new Event('error'), failure));
    }
    this.dispatchEvent(createCloseEvent({ code, reason, wasClean: code !== ABNORMAL }));
  }
}

/** Anything that is no bytes is made text, as everywhere on the platform. Bytes are copied: a program may go on using them. */
function toMessage(data: Exclude<Sendable, Blob>): string | Uint8Array {
  const message = toTextOrBytes(data);
  if (message.length > MAX_MESSAGE_BYTES) throw tooLarge(message.length);
  return message;
}

function toTextOrBytes(data: unknown): string | Uint8Array {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
  if (data instanceof ArrayBuffer || isShared(data)) return new Uint8Array(data).slice();
  return String(data);
}

/** Pages have it only when they are isolated from all others. */
function isShared(data: unknown): data is SharedArrayBuffer {
  return typeof SharedArrayBuffer !== 'undefined' && data instanceof SharedArrayBuffer;
}

function tooLarge(bytes: number): RangeError {
  return new RangeError(`a message has at most ${MAX_MESSAGE_BYTES} bytes, got ${bytes}`);
}

/** The class that makes WebSockets of one Client. */
export function createWebSocketClass(parts: SocketParts): TunnelWebSocketConstructor {
  class WebSocket extends TunnelWebSocketTarget {
    constructor(url: string | URL, protocols: string | readonly string[] = []) {
      super(parts, url, protocols);
    }
  }
  // The types of listeners are the standard's; what is listened to is an EventTarget all the same.
  return WebSocket as unknown as TunnelWebSocketConstructor;
}
