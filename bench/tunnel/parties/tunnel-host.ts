/**
 * A Host as its users have it.
 * Run as a program with a channel to its parent: `tunnel-host.ts RELAY_URL ORIGIN_PORT`.
 */
import { createHostKeys, createRelayHost } from '@openchambery/host';
import { argument, ready } from './party-process.ts';

const identity = await createHostKeys();
const host = createRelayHost({
  relayUrl: argument(0),
  origin: `http://127.0.0.1:${argument(1)}`,
  identity,
});
host.start();
await host.connected();
ready({ serverId: host.serverId, hostEncPubJwk: JSON.stringify(identity.encryption.publicJwk) });
