import { randomBytes } from 'node:crypto';
import { type HostKey, hostQuery } from './host-key.ts';
import { connectPeer, type Endpoint } from './peer.ts';

const LANES = 16;

/** Upgrades once, answers the close that follows and resolves with its code when the connection is gone. */
export function upgradeUntilClosed(endpoint: Endpoint): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    connectPeer(endpoint, (peer) => {
      peer.onEnd = () => resolve(peer.closeCode);
    }).catch(reject);
  });
}

/** Makes `count` upgrades, some at a time; throws when one is not refused with the code expected. */
export async function refuseMany(
  count: number,
  refusal: { readonly endpoint: (index: number) => Endpoint; readonly code: number },
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      const code = await upgradeUntilClosed(refusal.endpoint(index));
      if (code !== refusal.code) {
        throw new Error(`upgrade ${index} was closed with ${code ?? 'no code'} instead of ${refusal.code}`);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

let strangers = 0;

/** An address that no upgrade came from before, of 10.0.0.0/8. */
export function strangerAddress(): string {
  strangers += 1;
  return `10.${(strangers >> 16) & 0xff}.${(strangers >> 8) & 0xff}.${strangers & 0xff}`;
}

/** A host-data query that is right in everything but the signature. */
export function wronglySignedQuery(key: HostKey): string {
  return hostQuery(key, randomConnectionId()).replace(
    /sig=[^&]*/,
    `sig=${randomBytes(64).toString('base64url')}`,
  );
}

/** A rightly signed host-data query for a connection that does not exist. */
export function orphanQuery(key: HostKey): string {
  return hostQuery(key, randomConnectionId());
}

function randomConnectionId(): string {
  return randomBytes(16).toString('base64url');
}
