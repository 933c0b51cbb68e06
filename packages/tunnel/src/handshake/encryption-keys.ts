import type { PrivateJwk, PublicJwk } from '@openchambery/protocol';

/** A WebCrypto key, whichever library types the platform comes with. */
export type AgreementKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** An ECDH key pair on P-256: a Host's, which its Clients trust it by, or a Client's for one connection. */
export interface EncryptionKeys {
  /** `hostEncPubJwk` of the pairing facts. */
  readonly publicJwk: PublicJwk;
  readonly privateKey: AgreementKey;
}

export const AGREEMENT_ALGORITHM: { readonly name: string; readonly namedCurve: string } = {
  name: 'ECDH',
  namedCurve: 'P-256',
};

/** Makes a new key pair. It can be taken out with {@link exportEncryptionKeys}. */
export async function createEncryptionKeys(): Promise<EncryptionKeys> {
  return generateKeys({ extractable: true });
}

/** Makes a key pair for one connection, whose private half cannot be taken out. */
export async function createEphemeralKeys(): Promise<EncryptionKeys> {
  return generateKeys({ extractable: false });
}

/** Takes up a stored key pair. Rejects when it is not a valid P-256 key pair. */
export async function importEncryptionKeys(jwk: PrivateJwk): Promise<EncryptionKeys> {
  const { crv, kty, x, y, d } = jwk;
  const privateKey = await crypto.subtle.importKey('jwk', { crv, kty, x, y, d }, AGREEMENT_ALGORITHM, true, [
    'deriveBits',
  ]);
  // Taken out again, because an importer may accept x and y in a form that is not canonical.
  return { publicJwk: toPublicJwk(await crypto.subtle.exportKey('jwk', privateKey)), privateKey };
}

/** The key pair in the form that {@link importEncryptionKeys} takes: a secret. */
export async function exportEncryptionKeys(keys: EncryptionKeys): Promise<PrivateJwk> {
  const { d } = await crypto.subtle.exportKey('jwk', keys.privateKey);
  if (d === undefined) throw new TypeError('this key pair has no private half');
  return { ...keys.publicJwk, d };
}

async function generateKeys({ extractable }: { extractable: boolean }): Promise<EncryptionKeys> {
  const { subtle } = crypto;
  const { publicKey, privateKey } = await subtle.generateKey(AGREEMENT_ALGORITHM, extractable, [
    'deriveBits',
  ]);
  return { publicJwk: toPublicJwk(await subtle.exportKey('jwk', publicKey)), privateKey };
}

function toPublicJwk({ x, y }: { x?: string; y?: string }): PublicJwk {
  if (x === undefined || y === undefined) throw new TypeError('a P-256 public key has x and y');
  return { crv: 'P-256', kty: 'EC', x, y };
}
