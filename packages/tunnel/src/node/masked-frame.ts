import { randomFillSync } from 'node:crypto';

/** Opcodes of RFC 6455 section 5.2, with the bit of a final frame. */
export const FINAL_OPCODE = { text: 0x81, binary: 0x82 } as const;

/** In the second byte of a frame: its payload is masked. */
const MASKED = 0x80;
const MASK_BYTES = 4;

/** Payloads are put where words of the buffer begin. */
const WORD_BYTES = 4;

/** Small frames share pages; a large one from a page of its own does not keep others. */
const MAX_POOLED_BYTES = 2048;

/** Masks are cut from a block of randomness: asking for four bytes at a time would cost more than masking. */
const RANDOM_BLOCK_BYTES = 8192;
const randomBlock = new Uint32Array(RANDOM_BLOCK_BYTES / MASK_BYTES);
let usedMasks = randomBlock.length;

/**
 * A whole WebSocket message in one frame, as a client sends it (RFC 6455 section 5.2), masked word by word in one pass:
 * masking byte by byte takes several times as long as encrypting.
 */
export function encodeMaskedFrame(opcode: number, payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const headerBytes = headerLength(length);
  const padding = (WORD_BYTES - (headerBytes % WORD_BYTES)) % WORD_BYTES;
  const payloadAt = padding + headerBytes;
  const size = payloadAt + length;
  const frame = size <= MAX_POOLED_BYTES ? Buffer.allocUnsafe(size) : Buffer.allocUnsafeSlow(size);
  const mask = nextMask();
  frame[padding] = opcode;
  writeLength(frame, padding + 1, length);
  frame.writeUInt32LE(mask, payloadAt - MASK_BYTES);
  frame.set(payload, payloadAt);
  applyMask(frame, payloadAt, mask);
  return frame.subarray(padding);
}

function headerLength(payloadBytes: number): number {
  if (payloadBytes < 126) return 2 + MASK_BYTES;
  return payloadBytes < 65_536 ? 4 + MASK_BYTES : 10 + MASK_BYTES;
}

function writeLength(frame: Buffer, at: number, length: number): void {
  if (length < 126) {
    frame[at] = MASKED | length;
  } else if (length < 65_536) {
    frame[at] = MASKED | 126;
    frame.writeUInt16BE(length, at + 1);
  } else {
    frame[at] = MASKED | 127;
    frame.writeBigUInt64BE(BigInt(length), at + 1);
  }
}

/** RFC 6455 section 5.3. `mask` holds the masking key with its first byte lowest, as words do on the machines Node runs on. */
function applyMask(frame: Buffer, from: number, mask: number): void {
  const wordCount = (frame.length - from) >>> 2;
  const words = new Uint32Array(frame.buffer, frame.byteOffset + from, wordCount);
  for (let index = 0; index < wordCount; index++) words[index] = (words[index] ?? 0) ^ mask;
  for (let index = from + wordCount * WORD_BYTES; index < frame.length; index++) {
    frame[index] = (frame[index] ?? 0) ^ (mask >>> (((index - from) % WORD_BYTES) * 8));
  }
}

/** Unpredictable, as section 10.3 wants it. */
function nextMask(): number {
  if (usedMasks === randomBlock.length) {
    randomFillSync(randomBlock);
    usedMasks = 0;
  }
  const mask = randomBlock[usedMasks] ?? 0;
  usedMasks += 1;
  return mask;
}
