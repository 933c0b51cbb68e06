import type { PublicJwk } from '@openchambery/protocol';
import { encodeUtf8 } from '../frame/json.ts';
import { AGREEMENT_ALGORITHM, type AgreementKey } from './encryption-keys.ts';

/** Separates these keys from any others made of the same secret. */
const INFO = encodeUtf8('openchamber-relay-v1');
const SHARED_SECRET_BITS = 256;
const KEY_BYTES = 32;

/** What both ends put into the agreement. */
export interface Agreement {
  readonly privateKey: AgreementKey;
  readonly peerPublicJwk: PublicJwk;
  /** The hello's nonce: 16 bytes. */
  readonly nonce: Uint8Array<ArrayBuffer>;
}

/** AES-256-GCM keys of 32 bytes, one per direction. */
export interface SessionKeys {
  readonly clientToHost: Uint8Array<ArrayBuffer>;
  readonly hostToClient: Uint8Array<ArrayBuffer>;
}

/** ECDH on P-256, then HKDF-SHA-256 (RFC 5869) with the nonce as salt. Rejects when the peer's key is not valid. */
export async function deriveSessionKeys(agreement: Agreement): Promise<SessionKeys> {
  const { subtle } = crypto;
  const { crv, kty, x, y } = agreement.peerPublicJwk;
  const peer = await subtle.importKey('jwk', { crv, kty, x, y }, AGREEMENT_ALGORITHM, false, []);
  const secret = await subtle.deriveBits(
    { name: 'ECDH', public: peer },
    agreement.privateKey,
    SHARED_SECRET_BITS,
  );
  const material = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: agreement.nonce, info: INFO };
  const keys = new Uint8Array(await subtle.deriveBits(parameters, material, 2 * KEY_BYTES * 8));
  return { clientToHost: keys.subarray(0, KEY_BYTES), hostToClient: keys.subarray(KEY_BYTES) };
}
