import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { type Clock, type KeyCache, verifyP1363 } from '@openchambery/daemon';
import {
  canonicalPublicKeyText,
  decodeBase64url,
  type PublicJwk,
  SIGNATURE_BYTES,
} from '@openchambery/protocol';
import type { SignedRequest } from '../request/envelope.ts';
import type { Refusal } from '../request/refusal.ts';

/** What signatures are checked with. */
export interface AuthenticationContext {
  readonly clock: Clock;
  readonly keys: KeyCache;
  /** How far a server's clock may be off, in ms, either way. */
  readonly timestampSkewMs: number;
}

/** A request whose signature has verified. */
export interface VerifiedRequest<Content> {
  /** Who signed: base64url of the SHA-256 of the public key. */
  readonly serverId: string;
  /** ms since the epoch, as signed. */
  readonly ts: number;
  /** SHA-256 of the signed text. */
  readonly textHash: Buffer;
  readonly content: Content;
}

/** Finds out who made a request, once, before anything is looked up or sent. Synchronous. */
export function authenticate<Content>(
  { envelope, signedText, content }: SignedRequest<Content>,
  { clock, keys, timestampSkewMs }: AuthenticationContext,
): VerifiedRequest<Content> | Refusal {
  const { publicKeyJwk, ts, sig } = envelope;
  const behindMs = clock.epochMs() - ts;
  if (Math.abs(behindMs) > timestampSkewMs) {
    return { refusal: 'timestamp', detail: `timestamp: ${describeSkew(behindMs)} the push relay` };
  }
  const serverId = sha256(canonicalPublicKeyText(publicKeyJwk)).toString('base64url');
  const key = keys.get(serverId) ?? importPoint(publicKeyJwk);
  if (key === undefined) {
    return { refusal: 'invalid_request', detail: 'publicKeyJwk: not a point on P-256' };
  }
  const signature = decodeBase64url(sig, SIGNATURE_BYTES);
  if (signature === undefined || !verifyP1363(key, signedText, signature)) {
    return { refusal: 'invalid_signature', detail: 'sig: does not verify' };
  }
  keys.keep(serverId, key);
  return { serverId, ts, textHash: sha256(signedText), content };
}

function describeSkew(behindMs: number): string {
  const seconds = Math.max(1, Math.round(Math.abs(behindMs) / 1000));
  return `${seconds} s ${behindMs > 0 ? 'behind' : 'ahead of'}`;
}

function importPoint(jwk: PublicJwk): KeyObject | undefined {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch {
    // The form was checked before: what is left for Node to refuse is a point off the curve.
    return undefined;
  }
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
