import { verify, type KeyObject } from 'node:crypto';
import { derFromP1363 } from './ecdsa-signature.ts';

/** Two numbers of 32 bytes. */
const P256_SIGNATURE_BYTES = 64;

/** Whether a P-256 key made this signature (64 bytes, IEEE P1363) over the SHA-256 of the text. Synchronous; never throws. */
export function verifyP1363(key: KeyObject, text: string, signature: Uint8Array): boolean {
  if (signature.length !== P256_SIGNATURE_BYTES) return false;
  return verify('sha256', Buffer.from(text), key, derFromP1363(signature));
}
