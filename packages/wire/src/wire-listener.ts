import type { FrameFault } from './frame-reader.ts';
import type { Transport } from './transport.ts';

/** How a peer's sending side came to its end. */
export type EndCause =
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }
  | { readonly kind: 'fault'; readonly code: FrameFault['code']; readonly reason: string }
  | { readonly kind: 'lost' };

/** Who owns a socket and decides what its end means for others. */
export interface WireListener {
  /** The peer closed, broke the protocol or vanished before we closed. The socket closes by itself. */
  onEnd(cause: EndCause): void;
  /** The peer has taken no byte for the stall time while some waited. */
  onStall(): void;
  /** Everything that waited for the peer has been taken. */
  onDrain(): void;
  /** The TCP connection is gone, and with it everything this socket held. Called last, once. */
  onGone(): void;
}

/** An upgraded TCP connection. */
export interface WireConnection {
  readonly transport: Transport;
  /** Bytes that came behind the request. */
  readonly head: Buffer;
  /** The checked `Sec-WebSocket-Key`. */
  readonly key: string;
}

/**
 * The life of a socket:
 * - open: data flows.
 * - flushing: our close frame waits behind data; next is awaiting.
 * - awaiting: our close frame is sent, the peer's is not here yet.
 * - answering: the peer is done; our close frame waits behind data; next is ending.
 * - ending: both are done; TCP closes.
 */
export type WireState = 'open' | 'flushing' | 'awaiting' | 'answering' | 'ending' | 'gone';
