import type {
  HttpRequestHead,
  HttpResponseHead,
  WsCloseInfo,
  WsOpenedHead,
  WsOpenHead,
} from '../frame/payloads.ts';

/**
 * How bytes of a body may travel: `patient` ones may wait a moment for company (`BATCH`), `prompt` ones go at once, for
 * event streams and whatever a person waits for. The end of a body never waits.
 */
export type Urgency = 'patient' | 'prompt';

/** The sending side of a body. Ignores everything once the stream is over. */
export interface OutgoingBytes {
  /**
   * Queues bytes, which must not be changed any more. `false`: enough waits, so go on after {@link drained}. Writing on
   * regardless is not refused, but costs memory.
   * @param onCopied the bytes are needed no more, so that whoever has them may use their memory again; not called when they
   * never leave
   */
  write(chunk: Uint8Array, onCopied?: () => void): boolean;
  /** Resolves when `write` would return true again, or when the stream is over. */
  drained(): Promise<void>;
  /** No more will come: StreamEnd, after what waits. */
  end(): void;
}

/** The receiving side of a body. What is not read stops, after a bounded amount, the reading from the network. */
export interface IncomingBytes {
  /** The next bytes in order; `undefined` at the end. Rejects with a `StreamError` when the stream broke before its end. */
  read(): Promise<Uint8Array | undefined>;
  /** Nobody wants the rest: whatever comes is dropped and holds nothing up. */
  discard(): void;
}

/** What both ends of a stream have. */
export interface TunnelStream {
  readonly id: number;
  /** Aborted when the stream broke, from either side or with the channel; its `reason` is a `StreamError`. */
  readonly signal: AbortSignal;
  /** Gives up: StreamAbort with `reason`. Harmless when the stream is over. */
  abort(reason: string): void;
}

/** An HTTP request at the Client. */
export interface ClientHttpStream extends TunnelStream {
  /** The request's body. Must be ended, also when it is empty. */
  readonly output: OutgoingBytes;
  /** Rejects with a `StreamError`. */
  readonly response: Promise<HttpResponseHead>;
  /** The response's body; waits for the response. */
  readonly body: IncomingBytes;
}

/** An HTTP request at the Host. */
export interface HostHttpStream extends TunnelStream {
  readonly request: HttpRequestHead;
  readonly body: IncomingBytes;
  /**
   * Answers, once; the body goes through the returned output, which must be ended. `undefined`: the head does not fit a
   * frame, nothing was sent, and another one may be tried.
   */
  respond(head: HttpResponseHead, urgency?: Urgency): OutgoingBytes | undefined;
}

/** What an open WebSocket stream tells. Nothing is called after `onClose`, which is called once. */
export interface TunnelSocketListener {
  /** A whole message: text or binary. Text is not checked to be UTF-8 beyond what decoding does. */
  onMessage(message: string | Uint8Array): void;
  /** `send` would return true again. */
  onDrain(): void;
  /** 1012 with the channel; 1006 when the peer aborted the stream. */
  onClose(close: WsCloseInfo): void;
}

/** An open WebSocket in the tunnel, at either end. */
export interface TunnelSocket {
  readonly id: number;
  /** Queues a message, fragmented as needed. `false`: enough waits. Throws a RangeError above `MAX_MESSAGE_BYTES`. */
  send(message: string | Uint8Array): boolean;
  /** Bytes queued here and not yet encrypted. */
  readonly bufferedBytes: number;
  /** Stops taking messages; the network is no longer read once a bounded amount waits. */
  pause(): void;
  resume(): void;
  /** Sends WsClose, after what waits, and is over: `onClose` is called with the same. */
  close(code: number, reason: string): void;
  /** StreamAbort: over at once. */
  abort(reason: string): void;
}

/** A WebSocket that a Client wants to open, at the Host. Answer it once. */
export interface HostSocketStream extends TunnelStream {
  readonly request: WsOpenHead;
  /** WsOpened. From now on the listener hears of messages; those that came early are delivered first. */
  accept(head: WsOpenedHead, listener: TunnelSocketListener): TunnelSocket;
}

/** What a tunnel has counted, in bytes of Layer 3 payload and in frames, since it was opened. */
export interface TunnelTraffic {
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly openStreams: number;
}

/** Layer 3 at the Client. */
export interface ClientTunnel {
  /** Opens a stream. Throws a RangeError when the head does not fit a frame; fails by the stream's promises otherwise. */
  request(head: HttpRequestHead): ClientHttpStream;
  /** Asks the Host to open a WebSocket; the opening rejects with a `StreamError`. Throws a RangeError like `request`. */
  openSocket(head: WsOpenHead, listener: TunnelSocketListener): ClientSocketOpening;
  /** Asks for a sign of life; resolves to whether any frame came within `timeoutMs`. Does not close anything. */
  probe(timeoutMs: number): Promise<boolean>;
  readonly traffic: TunnelTraffic;
  /** Ends the channel and everything in it. */
  close(code: number, reason: string): void;
}

/** A WebSocket that is being opened by the Client. */
export interface ClientSocketOpening {
  readonly opened: Promise<{ readonly socket: TunnelSocket; readonly head: WsOpenedHead }>;
  /** Gives up while it is not open. */
  abort(reason: string): void;
}

/** Layer 3 at the Host. */
export interface HostTunnel {
  readonly traffic: TunnelTraffic;
  close(code: number, reason: string): void;
}

/** What a Host does with the streams of one Client. Called synchronously; must not throw. */
export interface HostStreamHandlers {
  onRequest(stream: HostHttpStream): void;
  onSocket(stream: HostSocketStream): void;
}
