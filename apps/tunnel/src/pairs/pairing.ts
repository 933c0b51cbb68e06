import { createHash, randomBytes, randomInt } from 'node:crypto';
import { encodeBase64url } from '@openchambery/protocol';

/** A pairing that is in force. */
export interface Pairing {
  /** Short, for people to name it by. */
  readonly id: string;
  readonly label: string;
  /** Canonical base64url of 16 bytes. */
  readonly secret: string;
  /** ms since the UNIX epoch. */
  readonly createdAt: number;
  /** ms since the UNIX epoch, up to a minute old; `undefined` when never. */
  readonly lastUsedAt: number | undefined;
}

/** What is left of a pairing that was revoked: enough to tell its devices so. */
export interface RevokedPairing {
  readonly id: string;
  /** SHA-256 of the secret, base64url. */
  readonly secretHash: string;
  /** ms since the UNIX epoch. */
  readonly revokedAt: number;
}

/** Everything about an exposure's pairings; the newest last. */
export interface Pairings {
  readonly live: readonly Pairing[];
  readonly revoked: readonly RevokedPairing[];
}

/** No pairings. */
export const NO_PAIRINGS: Pairings = { live: [], revoked: [] };

/** Most pairings in force; each costs a comparison per request. */
export const MAX_LIVE = 100;

/** Most revoked ones remembered; older ones are told that a pairing is needed, as strangers are. */
export const MAX_REVOKED = 1000;

/** The bytes of a secret, as the pairing link has them. */
const SECRET_BYTES = 16;

/** Without letters that look like digits or like each other. */
const ID_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const ID_CHARS = 8;

/** A new pairing with a secret of its own. */
export function createPairing(label: string, nowMs: number): Pairing {
  const id = Array.from({ length: ID_CHARS }, () => ID_ALPHABET[randomInt(ID_ALPHABET.length)]).join('');
  return {
    id,
    label,
    secret: encodeBase64url(randomBytes(SECRET_BYTES)),
    createdAt: nowMs,
    lastUsedAt: undefined,
  };
}

/** SHA-256 of a secret. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** The pairings with one of them revoked. */
export function withoutPairing(pairings: Pairings, id: string, nowMs: number): Pairings {
  const pairing = pairings.live.find((each) => each.id === id);
  if (pairing === undefined) return pairings;
  const revoked: RevokedPairing = {
    id,
    secretHash: encodeBase64url(hashSecret(pairing.secret)),
    revokedAt: nowMs,
  };
  return {
    live: pairings.live.filter((each) => each !== pairing),
    revoked: [...pairings.revoked, revoked].slice(-MAX_REVOKED),
  };
}

/** `device-1`, or the first such label that is free. */
export function freeLabel({ live }: Pairings): string {
  const labels = new Set(live.map(({ label }) => label));
  for (let number = 1; ; number += 1) {
    if (!labels.has(`device-${number}`)) return `device-${number}`;
  }
}
