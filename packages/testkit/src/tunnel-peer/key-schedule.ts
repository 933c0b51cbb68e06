import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A P-256 public key as it stands in pairings and hellos. */
export interface TunnelPublicJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
}

/** An ECDH key pair: the lasting one of a Host, or the ephemeral one of a Client. */
export interface TunnelKeyPair {
  readonly privateKey: KeyObject;
  readonly publicJwk: TunnelPublicJwk;
}

/** The two keys of a channel (tunnel.md, Layer 2 step 3), 32 bytes each. */
export interface ChannelKeys {
  readonly clientToHost: Buffer;
  readonly hostToClient: Buffer;
}

/** A fresh key pair. */
export function makeTunnelKeyPair(): TunnelKeyPair {
  return keyPairOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
}

/** A key pair from a private JWK, for known answers. */
export function tunnelKeyPairFromJwk(jwk: TunnelPublicJwk & { readonly d: string }): TunnelKeyPair {
  return keyPairOf(createPrivateKey({ key: { ...jwk }, format: 'jwk' }));
}

/** What both ends come to. Built from node:crypto alone, so that it can judge packages/tunnel. */
export function deriveChannelKeys(own: KeyObject, peer: TunnelPublicJwk, nonce: Buffer): ChannelKeys {
  const publicKey = createPublicKey({ key: { ...peer }, format: 'jwk' });
  const secret = diffieHellman({ privateKey: own, publicKey });
  const bytes = Buffer.from(hkdfSync('sha256', secret, nonce, 'openchamber-relay-v1', 64));
  return { clientToHost: bytes.subarray(0, 32), hostToClient: bytes.subarray(32) };
}

function keyPairOf(privateKey: KeyObject): TunnelKeyPair {
  const { kty = '', crv = '', x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { privateKey, publicJwk: { kty, crv, x, y } };
}
