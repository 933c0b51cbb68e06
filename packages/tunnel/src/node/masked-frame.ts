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
const randomBlock = new Uint8Array(RANDOM_BLOCK_BYTES);
/** The same masks as words, in whichever order this machine has the bytes of a word. */
const randomWords = new Uint32Array(randomBlock.buffer);
let usedMasks = randomWords.length;

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
  const maskIndex = nextMask();
  frame[padding] = opcode;
  writeLength(frame, padding + 1, length);
  for (let index = 0; index < MASK_BYTES; index++) {
    frame[payloadAt - MASK_BYTES + index] = randomBlock[maskIndex * MASK_BYTES + index] ?? 0;
  }
  frame.set(payload, payloadAt);
  applyMask(frame, payloadAt, randomWords[maskIndex] ?? 0);
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

/** RFC 6455 section 5.3. `mask` is the masking key in front of the payload, as a word. */
function applyMask(frame: Buffer, from: number, mask: number): void {
  const wordCount = (frame.length - from) >>> 2;
  const words = new Uint32Array(frame.buffer, frame.byteOffset + from, wordCount);
  for (let index = 0; index < wordCount; index++) words[index] = (words[index] ?? 0) ^ mask;
  const maskAt = from - MASK_BYTES;
  for (let index = from + wordCount * WORD_BYTES; index < frame.length; index++) {
    frame[index] = (frame[index] ?? 0) ^ (frame[maskAt + ((index - from) % MASK_BYTES)] ?? 0);
  }
}

/** The index of a mask that was not used before: unpredictable, as section 10.3 wants it. */
function nextMask(): number {
  if (usedMasks === randomWords.length) {
    randomFillSync(randomBlock);
    usedMasks = 0;
  }
  usedMasks += 1;
  return usedMasks - 1;
}
