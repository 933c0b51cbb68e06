import { decodeBase64url } from '@openchambery/protocol';
import { NO_PAIRINGS } from './pairing.ts';
import type { Pairing, Pairings, RevokedPairing } from './pairing.ts';

/** The version of the format that we write; others are not guessed at. */
const VERSION = 1;

/** The text of `pairs.json`. */
export function formatPairings({ live, revoked }: Pairings): string {
  const file = {
    version: VERSION,
    pairings: live.map(({ createdAt, lastUsedAt, ...rest }) => ({
      ...rest,
      createdAt: formatTime(createdAt),
      lastUsedAt: lastUsedAt === undefined ? null : formatTime(lastUsedAt),
    })),
    revoked: revoked.map(({ revokedAt, ...rest }) => ({ ...rest, revokedAt: formatTime(revokedAt) })),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Reads it; a file that is not there is no pairings; `undefined`: not a file of ours. */
export function parsePairings(text: string | undefined): Pairings | undefined {
  if (text === undefined) return NO_PAIRINGS;
  const file = asRecord(parseJson(text));
  if (file?.['version'] !== VERSION) return undefined;
  const live = parseList(file['pairings'], parsePairing);
  const revoked = parseList(file['revoked'], parseRevoked);
  return live === undefined || revoked === undefined ? undefined : { live, revoked };
}

function parsePairing(value: unknown): Pairing | undefined {
  const { id, label, secret, createdAt, lastUsedAt } = asRecord(value) ?? {};
  const created = parseTime(createdAt);
  const used = lastUsedAt === null ? undefined : parseTime(lastUsedAt);
  if (typeof id !== 'string' || typeof label !== 'string' || typeof secret !== 'string') return undefined;
  if (created === undefined || (lastUsedAt !== null && used === undefined)) return undefined;
  return decodeBase64url(secret, 16) === undefined
    ? undefined
    : { id, label, secret, createdAt: created, lastUsedAt: used };
}

function parseRevoked(value: unknown): RevokedPairing | undefined {
  const { id, secretHash, revokedAt } = asRecord(value) ?? {};
  const at = parseTime(revokedAt);
  if (typeof id !== 'string' || typeof secretHash !== 'string' || at === undefined) return undefined;
  return decodeBase64url(secretHash, 32) === undefined ? undefined : { id, secretHash, revokedAt: at };
}

function parseList<T>(value: unknown, parse: (item: unknown) => T | undefined): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: T[] = [];
  for (const each of value as readonly unknown[]) {
    const item = parse(each);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the same as JSON of another shape.
    return undefined;
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** RFC 3339 in UTC: a person may look into the file. */
function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}

function parseTime(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
