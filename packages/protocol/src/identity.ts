import { decodeBase64url, encodeBase64url } from './base64url.ts';
import { encodeUtf8 } from './utf8.ts';

/** Bytes in one coordinate of a P-256 point. */
const COORDINATE_BYTES = 32;

/** Bytes in the canonical text: 40 of punctuation and names, 86 of coordinates. */
const TEXT_BYTES = 126;

/** The whole canonical text: this key order, no spaces, nothing more. 43 characters are 32 bytes of base64url. */
const PUBLIC_KEY_TEXT = /^\{"crv":"P-256","kty":"EC","x":"([\w-]{43})","y":"([\w-]{43})"\}$/;

/** The public half of a Host's signing key, as a JSON Web Key (RFC 7518 §6.2.1) without optional members. */
export interface PublicJwk {
  readonly crv: 'P-256';
  readonly kty: 'EC';
  /** Canonical base64url of 32 bytes. */
  readonly x: string;
  /** Canonical base64url of 32 bytes. */
  readonly y: string;
}

/** A public key field that has the canonical form; whether the point is on the curve is for the verifier to say. */
export interface ParsedPublicKey {
  readonly jwk: PublicJwk;
  /** The canonical text, whose SHA-256 is the serverId. */
  readonly text: string;
}

/** The one text a public key has in this contract. Other members of the object are left out. */
export function canonicalPublicKeyText(jwk: PublicJwk): string {
  return JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y });
}

/** Writes the `pk` field of an upgrade: base64url of the canonical text. */
export function formatPublicKeyField(jwk: PublicJwk): string {
  return encodeBase64url(encodeUtf8(canonicalPublicKeyText(jwk)));
}

/** Reads the `pk` field of an upgrade; `undefined` unless it is canonical to the last bit. Never throws. */
export function parsePublicKeyField(pk: string): ParsedPublicKey | undefined {
  const bytes = decodeBase64url(pk, TEXT_BYTES);
  if (bytes === undefined) return undefined;
  // Byte by byte, because a UTF-8 decoder would swallow a byte order mark. The pattern takes ASCII alone.
  const text = String.fromCharCode(...bytes);
  const [, x, y] = PUBLIC_KEY_TEXT.exec(text) ?? [];
  if (x === undefined || y === undefined) return undefined;
  if (decodeBase64url(x, COORDINATE_BYTES) === undefined) return undefined;
  if (decodeBase64url(y, COORDINATE_BYTES) === undefined) return undefined;
  return { jwk: { crv: 'P-256', kty: 'EC', x, y }, text };
}

/** The serverId of a public key, or of its canonical text: base64url of the SHA-256 of that text. */
export async function deriveServerId(publicKey: PublicJwk | string): Promise<string> {
  const text = typeof publicKey === 'string' ? publicKey : canonicalPublicKeyText(publicKey);
  return encodeBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', encodeUtf8(text))));
}
