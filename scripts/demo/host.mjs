// The Host of the demo: answers every request with the body that it came with.
//   node host.mjs <relay url>
import { createHostKeys, createRelayHost } from '@openchambery/host';

const identity = await createHostKeys();
const host = createRelayHost({
  relayUrl: process.argv[2],
  identity,
  handler: ({ body }) => new Response(body),
});
process.once('disconnect', () => host.stop());
host.on('status', (status) => {
  if (status.state === 'connected') {
    process.send({ serverId: host.serverId, hostEncPubJwk: identity.encryption.publicJwk });
  } else if (status.state === 'reconnecting' || status.state === 'refused') {
    // In the demo nothing may break, and a Host that tries again would only hide it.
    process.stderr.write(`host: ${status.reason}\n`);
    process.exit(1);
  }
});
host.start();
