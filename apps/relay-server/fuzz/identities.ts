import { createECDH, createHash, createPrivateKey } from 'node:crypto';
import type { HostIdentity } from '@openchambery/testkit';

/** The server of a number: always the same one, so that a case can be played again. */
export function makeNumberedIdentity(number: number): HostIdentity {
  const ecdh = createECDH('prime256v1');
  const secret = createHash('sha256').update(`server ${number} of the fuzz`).digest();
  ecdh.setPrivateKey(secret);
  const point = ecdh.getPublicKey();
  const publicJwk = {
    crv: 'P-256',
    kty: 'EC',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const text = JSON.stringify(publicJwk);
  return {
    serverId: createHash('sha256').update(text).digest('base64url'),
    pk: Buffer.from(text).toString('base64url'),
    privateKey: createPrivateKey({ key: { ...publicJwk, d: secret.toString('base64url') }, format: 'jwk' }),
    publicJwk,
  };
}
