/** What a peer did that ends the channel, as it goes into the close frame (RFC 6455 section 7.4). */
export interface HandshakeFault {
  readonly code: 1008 | 1011;
  /** Short, and without anything of what came. */
  readonly reason: string;
}

type FaultName = 'anotherHello' | 'malformedHello' | 'malformedReady' | 'plaintext' | 'earlyCiphertext';

/** Each fault of the handshake with its close code. */
export const FAULT: Readonly<Record<FaultName, HandshakeFault>> = {
  anotherHello: { code: 1008, reason: 'another hello' },
  malformedHello: { code: 1011, reason: 'malformed hello' },
  malformedReady: { code: 1011, reason: 'malformed ready' },
  plaintext: { code: 1011, reason: 'plaintext after the handshake' },
  earlyCiphertext: { code: 1011, reason: 'ciphertext before the handshake' },
};
