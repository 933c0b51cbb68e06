import { SEALED_OVERHEAD_BYTES } from '../limits.ts';
import type { AeadKey } from './aead.ts';
import { FRAME_VERSION, IV_BYTES, IV_OFFSET } from './sealed-frame.ts';

const ALGORITHM = 'AES-GCM';
const CIPHERTEXT_OFFSET = IV_OFFSET + IV_BYTES;

/** AES-256-GCM by WebCrypto, with a tag of 16 bytes: works everywhere, and always later. */
export async function webCryptoAeadKey(rawKey: Uint8Array): Promise<AeadKey> {
  const { subtle } = crypto;
  const key = await subtle.importKey('raw', onOwnBuffer(rawKey), ALGORITHM, false, ['encrypt', 'decrypt']);
  return {
    async seal(iv: Uint8Array, plaintext: Uint8Array): Promise<Uint8Array> {
      const parameters = { name: ALGORITHM, iv: onOwnBuffer(iv) };
      const ciphertext = new Uint8Array(await subtle.encrypt(parameters, key, onOwnBuffer(plaintext)));
      const frame = new Uint8Array(CIPHERTEXT_OFFSET + ciphertext.length);
      frame[0] = FRAME_VERSION;
      frame.set(iv, IV_OFFSET);
      frame.set(ciphertext, CIPHERTEXT_OFFSET);
      return frame;
    },
    async open(frame: Uint8Array): Promise<Uint8Array | undefined> {
      if (frame.length < SEALED_OVERHEAD_BYTES) return undefined;
      const parameters = { name: ALGORITHM, iv: onOwnBuffer(frame.subarray(IV_OFFSET, CIPHERTEXT_OFFSET)) };
      const ciphertext = onOwnBuffer(frame.subarray(CIPHERTEXT_OFFSET));
      try {
        return new Uint8Array(await subtle.decrypt(parameters, key, ciphertext));
      } catch {
        // The one thing decrypt has to say: not authentic.
        return undefined;
      }
    },
  };
}

/** WebCrypto refuses shared memory, which no transport hands out. */
function onOwnBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}
