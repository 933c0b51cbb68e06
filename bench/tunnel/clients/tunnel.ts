/**
 * A Client as its users have it, with one tunnel for everything.
 * Run as a program with a channel to its parent: `tunnel.ts RELAY_URL SERVER_ID HOST_ENC_PUB_JWK`.
 */
import { createRelayClient, type RelayClientOptions } from '@openchambery/client';
import { argument } from '../parties/party-process.ts';
import { FetchSession } from './fetch-session.ts';
import { takeOrders } from './take-orders.ts';

const client = createRelayClient({
  relayUrl: argument(0),
  serverId: argument(1),
  hostEncPubJwk: JSON.parse(argument(2)) as RelayClientOptions['hostEncPubJwk'],
});
await client.connect();
const session = new FetchSession(client.fetch, '');
takeOrders({ sessions: (count) => Promise.resolve(Array.from({ length: count }, () => session)) });
