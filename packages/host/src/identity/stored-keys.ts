import type { PrivateJwk } from '@openchambery/protocol';
import type { StoredHostKeys } from './host-keys.ts';

/** What a text is in place of stored keys. */
export type StoredKeysFault = 'empty' | 'not-json' | 'foreign' | 'newer';

/** Writes stored keys, for a file of their own. */
export function formatStoredKeys(keys: StoredHostKeys): string {
  return `${JSON.stringify(keys, undefined, 2)}\n`;
}

/** Reads what {@link formatStoredKeys} wrote; whether the keys are keys shows when they are taken up. Never throws. */
export function parseStoredKeys(text: string): StoredHostKeys | StoredKeysFault {
  if (text.trim() === '') return 'empty';
  const value = parseJson(text);
  if (value === undefined) return 'not-json';
  if (typeof value !== 'object' || value === null || !('version' in value)) return 'foreign';
  const { version } = value;
  if (version !== 1) return typeof version === 'number' && version > 1 ? 'newer' : 'foreign';
  if (!('signing' in value && 'encryption' in value)) return 'foreign';
  const { signing, encryption } = value;
  return isPrivateJwk(signing) && isPrivateJwk(encryption) ? { version, signing, encryption } : 'foreign';
}

function isPrivateJwk(value: unknown): value is PrivateJwk {
  if (typeof value !== 'object' || value === null) return false;
  const jwk = value as Partial<Record<keyof PrivateJwk, unknown>>;
  const isText = [jwk.x, jwk.y, jwk.d].every((member) => typeof member === 'string');
  return jwk.kty === 'EC' && jwk.crv === 'P-256' && isText;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message would repeat a piece of the text, which may be a key.
    return undefined;
  }
}
