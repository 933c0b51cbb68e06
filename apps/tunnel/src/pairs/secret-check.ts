import { timingSafeEqual } from 'node:crypto';
import { hashSecret } from './pairing.ts';
import type { Pairings } from './pairing.ts';

/** What a secret is worth. */
export type SecretVerdict =
  | { readonly kind: 'live'; readonly id: string }
  | { readonly kind: 'revoked'; readonly id: string }
  | { readonly kind: 'unknown' };

/** Looks secrets up. */
export type CheckSecret = (secret: string) => SecretVerdict;

interface Entry {
  readonly id: string;
  readonly hash: Buffer;
}

/**
 * A check that takes as long for a good guess as for a bad one: hashes of equal length are compared in constant time,
 * and with every pairing, also after one has matched.
 */
export function createSecretCheck({ live, revoked }: Pairings): CheckSecret {
  const liveEntries = live.map(({ id, secret }) => ({ id, hash: hashSecret(secret) }));
  const revokedEntries = revoked.map(({ id, secretHash }) => ({
    id,
    hash: Buffer.from(secretHash, 'base64url'),
  }));
  return (secret) => {
    const hash = hashSecret(secret);
    const liveId = findIn(liveEntries, hash);
    if (liveId !== undefined) return { kind: 'live', id: liveId };
    const revokedId = findIn(revokedEntries, hash);
    return revokedId === undefined ? { kind: 'unknown' } : { kind: 'revoked', id: revokedId };
  };
}

function findIn(entries: readonly Entry[], hash: Buffer): string | undefined {
  let found: string | undefined;
  for (const entry of entries) {
    if (timingSafeEqual(entry.hash, hash)) found = entry.id;
  }
  return found;
}
