import { FIN_BIT } from './opcode.ts';

/** The largest header of an unmasked frame, in bytes. */
export const MAX_UNMASKED_HEADER_BYTES = 10;

/** Size in bytes of the header of an unmasked frame with `payloadBytes` of payload (RFC 6455 §5.2). */
export function unmaskedHeaderBytes(payloadBytes: number): number {
  if (payloadBytes < 126) return 2;
  return payloadBytes < 65536 ? 4 : 10;
}

/**
 * Writes the header of an unmasked frame at `at`; the caller has checked that it fits. `first` holds the FIN bit
 * and the opcode. Payloads stay below 2^32 bytes: the message limit of a relay is far lower.
 */
// oxlint-disable-next-line max-params -- called per frame: an object would cost more than the header
export function writeUnmaskedHeader(into: Buffer, at: number, first: number, payloadBytes: number): void {
  into[at] = first;
  if (payloadBytes < 126) {
    into[at + 1] = payloadBytes;
  } else if (payloadBytes < 65536) {
    into[at + 1] = 126;
    into[at + 2] = payloadBytes >>> 8;
    into[at + 3] = payloadBytes & 0xff;
  } else {
    into[at + 1] = 127;
    into.writeUInt32BE(0, at + 2);
    into.writeUInt32BE(payloadBytes, at + 6);
  }
}

/** One whole unmasked frame with its FIN bit set. */
export function encodeFrame(opcode: number, payload: Uint8Array): Buffer {
  const headerBytes = unmaskedHeaderBytes(payload.length);
  const frame = Buffer.allocUnsafe(headerBytes + payload.length);
  writeUnmaskedHeader(frame, 0, FIN_BIT | opcode, payload.length);
  frame.set(payload, headerBytes);
  return frame;
}
