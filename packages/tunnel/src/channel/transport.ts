/** How a WebSocket ended; 1006 means without a close frame. */
export interface TransportEnd {
  readonly code: number;
  readonly reason: string;
}

/** What a transport tells. Nothing is called after `onClose`, which is called once. */
export interface TransportListener {
  /** A whole WebSocket message, text or binary. The bytes belong to the listener. */
  onMessage(message: string | Uint8Array): void;
  /** `bufferedBytes` has fallen; may be called more often than needed. */
  onDrain(): void;
  onClose(end: TransportEnd): void;
}

/** An open WebSocket to the relay, whichever library it comes from. */
export interface TunnelTransport {
  /** Queues one message and takes its bytes over: they may be gone afterwards. Ignored when the socket is closing. */
  send(message: string | Uint8Array): void;
  /**
   * Bytes that this process has not handed to the network yet, where messages count that were ignored: whoever sends as long
   * as there is room, and in one turn, must come to a halt for the end to be heard.
   */
  readonly bufferedBytes: number;
  /** Stops reading, so that TCP pushes back; a few more messages may still arrive. A platform that cannot, ignores it. */
  pauseReading(): void;
  resumeReading(): void;
  /** Begins the closing handshake; `onClose` follows in bounded time. Harmless when called again. */
  close(code: number, reason: string): void;
  /** Destroys the socket at once, for a peer known to be dead; `onClose` follows. */
  terminate(): void;
  /** Called once, before the first message can arrive. */
  listen(listener: TransportListener): void;
}
