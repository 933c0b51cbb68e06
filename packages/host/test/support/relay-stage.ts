import { createRelayServer, type RelayServer, type RelayServerOptions } from '@openchambery/relay';
import { onTestFinished } from 'vitest';
import { createHostKeys, type HostKeys } from '../../src/identity/host-keys.ts';
import { createRelayHost } from '../../src/create-relay-host.ts';
import type { HostStatus, RelayHost, RelayHostOptions } from '../../src/relay-host.ts';
import { connectClient, type TunnelClient } from './tunnel-client.ts';

/** One identity for all tests of a file: making keys is not what they test. */
export const KEYS: HostKeys = await createHostKeys();

/** A relay that is closed after the test. */
export async function startRelay(
  options: RelayServerOptions = {},
): Promise<{ readonly relay: RelayServer; readonly url: string; readonly port: number }> {
  const relay = createRelayServer({ port: 0, ...options });
  await relay.start();
  onTestFinished(() => relay.close());
  const { port } = relay.address();
  return { relay, port, url: `ws://127.0.0.1:${port}/ws` };
}

/** A Host with a handler, not started, that is stopped after the test. */
export function makeHost(options: Partial<RelayHostOptions> & { readonly relayUrl: string }): RelayHost {
  const host = createRelayHost({
    identity: KEYS,
    handler: (request, { connectionId }) =>
      Response.json({ path: new URL(request.url).pathname, connectionId }),
    ...options,
  } as RelayHostOptions);
  onTestFinished(() => host.stop());
  return host;
}

/** A Client of {@link makeHost}'s Host. */
export function clientOf(url: string): Promise<TunnelClient> {
  return connectClient({
    url,
    serverId: KEYS.signing.serverId,
    hostEncPubJwk: KEYS.encryption.publicJwk,
  });
}

/** Resolves at the first status that is in `state`, be it the present one. */
export function statusIn<State extends HostStatus['state']>(
  host: RelayHost,
  state: State,
): Promise<Extract<HostStatus, { state: State }>> {
  return new Promise((resolve) => {
    const look = (status: HostStatus): void => {
      if (status.state !== state) return;
      host.off('status', look);
      resolve(status as Extract<HostStatus, { state: State }>);
    };
    host.on('status', look);
    look(host.status);
  });
}
