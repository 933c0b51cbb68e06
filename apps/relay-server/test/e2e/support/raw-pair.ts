import { clientQuery, signedQuery } from '@openchambery/testkit';
import type { Peer, RawWebSocket, RelayProcess, TestHost } from '@openchambery/testkit';
import { attachData, connectClient, upgradeRaw } from './sockets.ts';

/** Which leg of a pair a test holds byte by byte; the other one is an ordinary peer. */
export type RawLeg = 'client' | 'host-data';

export interface HalfRawPair {
  readonly raw: RawWebSocket;
  readonly peer: Peer;
  readonly connectionId: string;
}

/** A ready pair of which one leg is raw. */
export async function halfRawPair(
  relay: RelayProcess,
  host: TestHost,
  rawLeg: RawLeg,
  localAddress?: string,
): Promise<HalfRawPair> {
  const from = localAddress === undefined ? {} : { localAddress };
  if (rawLeg === 'client') {
    const raw = await upgradeRaw(relay, clientQuery(host.serverId), from);
    const connectionId = await host.nextId('connected');
    return { raw, peer: await attachData(host, connectionId, from), connectionId };
  }
  const peer = await connectClient(relay, host.serverId, from);
  const connectionId = await host.nextId('connected');
  const query = signedQuery({ identity: host.identity, role: 'host-data', connectionId });
  return { raw: await upgradeRaw(relay, query, from), peer, connectionId };
}

/** A ready pair of which both legs are raw. */
export async function rawPair(
  relay: RelayProcess,
  host: TestHost,
  localAddress?: string,
): Promise<{ readonly client: RawWebSocket; readonly data: RawWebSocket; readonly connectionId: string }> {
  const from = localAddress === undefined ? {} : { localAddress };
  const client = await upgradeRaw(relay, clientQuery(host.serverId), from);
  const connectionId = await host.nextId('connected');
  const query = signedQuery({ identity: host.identity, role: 'host-data', connectionId });
  return { client, data: await upgradeRaw(relay, query, from), connectionId };
}
