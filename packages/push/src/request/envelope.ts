import { decodeBase64url, type PublicJwk, SIGNATURE_BYTES } from '@openchambery/protocol';
import * as v from 'valibot';

/** What every request carries: who signed it, when, and the signature. */
export interface Envelope {
  readonly publicKeyJwk: PublicJwk;
  /** ms since the epoch. */
  readonly ts: number;
  /** Canonical base64url of 64 bytes (IEEE P1363). */
  readonly sig: string;
}

/** A request in its canonical form, with all that its signature has to cover. */
export interface SignedRequest<Content> {
  readonly envelope: Envelope;
  /** What the server has signed, UTF-8. */
  readonly signedText: string;
  readonly content: Content;
}

/** Base64url that stands for its bytes alone: no padding, unused bits zero. */
function canonicalBase64url(byteLength: number) {
  return v.pipe(
    v.string(),
    v.check((text) => decodeBase64url(text, byteLength) !== undefined, 'canonical base64url'),
  );
}

/** The members of {@link Envelope}; exactly four in the key, in any order. */
export const ENVELOPE = {
  publicKeyJwk: v.strictObject({
    crv: v.literal('P-256'),
    kty: v.literal('EC'),
    x: canonicalBase64url(32),
    y: canonicalBase64url(32),
  }),
  ts: v.pipe(v.number(), v.safeInteger()),
  sig: canonicalBase64url(SIGNATURE_BYTES),
} as const;
