import { generateKeyPairSync, randomInt } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A provider key as Apple's developer portal hands it out, and the half that a fake APNs verifies with. */
export interface ApnsKey {
  readonly teamId: string;
  readonly keyId: string;
  /** PKCS#8 PEM, the content of `AuthKey_….p8`. */
  readonly p8: string;
  readonly publicKey: KeyObject;
}

const ID_CHARACTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** A new P-256 provider key with a random team id and key id, ten characters each. */
export function makeApnsKey(): ApnsKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const p8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { teamId: tenCharacters(), keyId: tenCharacters(), p8, publicKey };
}

function tenCharacters(): string {
  return Array.from({ length: 10 }, () => ID_CHARACTERS[randomInt(ID_CHARACTERS.length)]).join('');
}
