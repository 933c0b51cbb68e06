import { encodeBase64url } from './base64url.ts';
import { deriveServerId, formatPublicKeyField, type PublicJwk } from './identity.ts';
import { signingText } from './signing.ts';
import type { HostControlUpgrade, HostDataUpgrade } from './upgrade-request.ts';
import { encodeUtf8 } from './utf8.ts';

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNATURE_ALGORITHM = { name: 'ECDSA', hash: 'SHA-256' };

/** A WebCrypto key, whichever library types the platform comes with. */
export type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A Host's signing key with both halves: what a Host keeps, secretly, for as long as it lives. */
export interface PrivateJwk extends PublicJwk {
  /** The private scalar; base64url of 32 bytes. */
  readonly d: string;
}

/** Who a Host is on Layer 1, ready to sign. */
export interface HostIdentity {
  /** Derived from the public key; what Clients ask for. */
  readonly serverId: string;
  readonly publicJwk: PublicJwk;
  /** The `pk` field of every upgrade this Host makes. */
  readonly pk: string;
  readonly privateKey: SigningKey;
}

/** What tells one signed upgrade of a Host from another. */
export type UpgradeToSign =
  | { readonly role: 'host-control'; readonly ts: number | string }
  | { readonly role: 'host-data'; readonly connectionId: string; readonly ts: number | string };

/** Makes a new Host identity. The key can be taken out with {@link exportHostIdentity}. */
export async function createHostIdentity(): Promise<HostIdentity> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
  return toIdentity(toPublicJwk(await crypto.subtle.exportKey('jwk', publicKey)), privateKey);
}

/** Takes up a stored identity. Rejects when the key is not a valid P-256 key pair. */
export async function importHostIdentity(jwk: PrivateJwk): Promise<HostIdentity> {
  const { crv, kty, x, y, d } = jwk;
  const privateKey = await crypto.subtle.importKey('jwk', { crv, kty, x, y, d }, KEY_ALGORITHM, true, [
    'sign',
  ]);
  // Taken out again, because an importer may accept x and y in a form that is not canonical.
  return toIdentity(toPublicJwk(await crypto.subtle.exportKey('jwk', privateKey)), privateKey);
}

/** The key of an identity in the form {@link importHostIdentity} takes: a secret. */
export async function exportHostIdentity(identity: HostIdentity): Promise<PrivateJwk> {
  const { d } = await crypto.subtle.exportKey('jwk', identity.privateKey);
  if (d === undefined) throw new TypeError('the key of this identity has no private half');
  return { ...identity.publicJwk, d };
}

/**
 * Signs one upgrade. `ts` is the Host's time in ms since the epoch; text is signed as it is. Sign afresh for every
 * attempt: a relay takes each (role, connectionId, ts) of a Host once.
 */
export async function signUpgrade(
  identity: HostIdentity,
  upgrade: UpgradeToSign,
): Promise<HostControlUpgrade | HostDataUpgrade> {
  const { serverId, pk } = identity;
  const ts = String(upgrade.ts);
  const text = encodeUtf8(signingText({ ...upgrade, ts, serverId }));
  const signature = await crypto.subtle.sign(SIGNATURE_ALGORITHM, identity.privateKey, text);
  const proof = { ts, sig: encodeBase64url(new Uint8Array(signature)), pk };
  if (upgrade.role === 'host-control') return { role: upgrade.role, serverId, ...proof };
  return { role: upgrade.role, serverId, connectionId: upgrade.connectionId, ...proof };
}

async function toIdentity(publicJwk: PublicJwk, privateKey: SigningKey): Promise<HostIdentity> {
  const serverId = await deriveServerId(publicJwk);
  return { serverId, publicJwk, pk: formatPublicKeyField(publicJwk), privateKey };
}

function toPublicJwk({ x, y }: { x?: string; y?: string }): PublicJwk {
  if (x === undefined || y === undefined) throw new TypeError('a P-256 public key has x and y');
  return { crv: 'P-256', kty: 'EC', x, y };
}
