import { FRAME_HEADER_BYTES } from '../limits.ts';

/** What may stand in front of a payload that is alone in its plaintext: the kind of the plaintext, and the header. */
const MAX_HEAD_BYTES = 1 + FRAME_HEADER_BYTES;

/** Smaller memory is not worth the call, and may be shared with others: `Buffer` cuts nothing larger from its pool. */
const MIN_BYTES = 4096;

/**
 * Gives memory back that nobody will look at any more, if the bytes have it for themselves. V8 takes what lies outside of
 * its heap for a burden, and collects everything each time some of it has come together: with several copies of each
 * frame that took half of the time of a bulk transfer.
 * @param unusedBytes of the same memory, in front of the bytes
 */
export function release(bytes: Uint8Array, unusedBytes = 0): void {
  const { buffer } = bytes;
  if (bytes.length < MIN_BYTES || bytes.length + unusedBytes !== buffer.byteLength) return;
  if (bytes.byteOffset === unusedBytes && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** The same for a payload that came through a tunnel, if its plaintext brought no other. */
export function releasePayload(payload: Uint8Array): void {
  if (payload.byteOffset <= MAX_HEAD_BYTES) release(payload, payload.byteOffset);
}
