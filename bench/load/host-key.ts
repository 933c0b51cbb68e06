import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Written out here rather than taken from the product, so that a fault there cannot hide in its own benchmark. */
export interface HostKey {
  readonly serverId: string;
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/** A new P-256 Host identity: `serverId` is the hash of the canonical JWK text. */
export function createHostKey(): HostKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const text = JSON.stringify({ crv: 'P-256', kty: 'EC', x, y });
  return {
    serverId: createHash('sha256').update(text).digest('base64url'),
    publicKey: Buffer.from(text).toString('base64url'),
    privateKey,
  };
}

/** Query of a client upgrade. */
export function clientQuery(serverId: string): string {
  return `v=1&role=client&serverId=${serverId}`;
}

let lastTimestamp = 0;

/** Signed query of a host-control upgrade, or of host-data when a connection is named. */
export function hostQuery(key: HostKey, connectionId = ''): string {
  const role = connectionId === '' ? 'host-control' : 'host-data';
  // Two controls of one Host inside a millisecond would be a replay: timestamps never repeat.
  lastTimestamp = Math.max(Date.now(), lastTimestamp + (connectionId === '' ? 1 : 0));
  const text = `${lastTimestamp}.${key.serverId}.${role}.${connectionId}`;
  const signature = sign('sha256', Buffer.from(text), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  const connection = connectionId === '' ? '' : `&connectionId=${connectionId}`;
  return (
    `v=1&role=${role}&serverId=${key.serverId}${connection}` +
    `&ts=${lastTimestamp}&sig=${signature.toString('base64url')}&pk=${key.publicKey}`
  );
}
