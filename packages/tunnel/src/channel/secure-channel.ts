import type { TransportEnd } from './transport.ts';

/** Why a channel ended. */
export interface ChannelEnd extends TransportEnd {
  /**
   * `peer`: the socket was closed from outside, with `code` and `reason` as received; `fault`: this side closed it because
   * of what the peer sent; `handshake-timeout`: no answer to the hello; `silent`: no sign of life; `local`: asked to.
   */
  readonly cause: 'peer' | 'fault' | 'handshake-timeout' | 'silent' | 'local';
}

/** What a channel tells. Nothing is called after `onClose`, which is called once. */
export interface ChannelListener {
  /** Both ends have the keys; plaintexts may be sent from now on. */
  onEstablished(facts: { readonly isBatching: boolean }): void;
  /** One decrypted plaintext, in order; never before `onEstablished`. */
  onPlaintext(plaintext: Uint8Array): void;
  /** `pendingBytes` has fallen; may be called more often than needed. */
  onDrain(): void;
  /**
   * The channel is over. When this side ended it, that is told soon, and never from within a call, without waiting for the
   * socket: that one tells its own end.
   */
  onClose(end: ChannelEnd): void;
}

/** Layer 2: an encrypted channel over one transport, either end of it. */
export interface SecureChannel {
  /**
   * Encrypts and sends one plaintext of at most `MAX_PLAINTEXT_BYTES`, in order of the calls, and takes its bytes over: they
   * may be gone afterwards. Throws before the channel is established; does nothing when it is over.
   */
  send(plaintext: Uint8Array): void;
  /** Bytes given to `send` that have not left this process: being encrypted, or waiting in the transport. */
  readonly pendingBytes: number;
  /** Stops reading from the network; what was read already is still delivered, in bounded number. */
  pauseReading(): void;
  resumeReading(): void;
  /** Ends the channel. @param cause @default 'local' */
  close(end: TransportEnd, cause?: 'local' | 'silent' | 'fault'): void;
}

/** Opens a channel's end; the listener hears of it asynchronously. */
export type OpenChannel = (listener: ChannelListener) => SecureChannel;
