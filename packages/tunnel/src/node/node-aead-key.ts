import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { AeadKey } from '../cipher/aead.ts';
import { release } from './release.ts';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const IV_AT = 1;
const CIPHERTEXT_AT = 13;
const TAG_BYTES = 16;
/** As `Buffer` has it for its own pool by default. */
const MAX_POOLED_BYTES = 2048;
const TAG_LENGTH = { authTagLength: TAG_BYTES };

/**
 * AES-256-GCM by node:crypto, which answers at once: WebCrypto would take every frame through the thread pool and back.
 * @param key 32 bytes, copied. Throws a RangeError for another length.
 */
export function createNodeAeadKey(key: Uint8Array): AeadKey {
  if (key.length !== 32) throw new RangeError(`an AES-256 key has 32 bytes, got ${key.length}`);
  const secret = createSecretKey(key);
  return {
    seal: (iv, plaintext) => seal(secret, iv, plaintext),
    open: (frame) => open(secret, frame),
  };
}

function seal(secret: KeyObject, iv: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const cipher = createCipheriv(ALGORITHM, secret, iv, TAG_LENGTH);
  const ciphertext = cipher.update(plaintext);
  release(plaintext);
  cipher.final();
  const size = CIPHERTEXT_AT + ciphertext.length + TAG_BYTES;
  // A large one not from the pool, whose pages would be kept as long as any frame on them waits.
  const frame = size <= MAX_POOLED_BYTES ? Buffer.allocUnsafe(size) : Buffer.allocUnsafeSlow(size);
  frame[0] = VERSION;
  frame.set(iv, IV_AT);
  frame.set(ciphertext, CIPHERTEXT_AT);
  frame.set(cipher.getAuthTag(), CIPHERTEXT_AT + ciphertext.length);
  release(ciphertext);
  return frame;
}

function open(secret: KeyObject, frame: Uint8Array): Uint8Array | undefined {
  const tagAt = frame.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, secret, frame.subarray(IV_AT, CIPHERTEXT_AT), TAG_LENGTH);
  decipher.setAuthTag(frame.subarray(tagAt));
  const plaintext = decipher.update(frame.subarray(CIPHERTEXT_AT, tagAt));
  release(frame);
  try {
    decipher.final();
  } catch {
    // The one way it fails here is a tag that does not fit: not authentic.
    return undefined;
  }
  return plaintext;
}
