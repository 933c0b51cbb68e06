// A relay inside another program: starts one, lets a Host and a Client meet through it, shows what it holds, stops it.
import { once } from 'node:events';
import {
  createHostIdentity,
  formatUpgradeQuery,
  type HostIdentity,
  parseControlMessage,
  signUpgrade,
} from '@openchambery/protocol';
import { createRelayServer } from '@openchambery/relay';
import { WebSocket } from 'ws';

const relay = createRelayServer({ port: 0, limits: { maxHosts: 4, pendingMs: 5000 } });
relay.on('hostOnline', ({ serverId }) => console.log('Host online:', serverId));
relay.on('paired', ({ connectionId }) => console.log('paired:', connectionId));
relay.on('socketClosed', ({ role, code, durationMs }) =>
  console.log(`${role} closed ${code}, ${durationMs} ms`),
);
await relay.start();
const { host, port } = relay.address();
const url = `ws://${host}:${port}/ws`;

const identity = await createHostIdentity();
await startEchoHost(url, identity);

const client = new WebSocket(`${url}?${formatUpgradeQuery({ role: 'client', serverId: identity.serverId })}`);
await once(client, 'open');
client.send('hello through the relay');
const [answer] = (await once(client, 'message')) as [Buffer];
console.log('answer:', answer.toString());
console.log(relay.snapshot());

await relay.close();
const { connections, queuedBytes } = relay.snapshot();
if (answer.toString() !== 'hello through the relay' || connections !== 0 || queuedBytes !== 0) {
  throw new Error('the relay did not carry the message, or kept something');
}

/** A Host that sends back what it gets. */
async function startEchoHost(relayUrl: string, key: HostIdentity): Promise<void> {
  const control = new WebSocket(
    `${relayUrl}?${formatUpgradeQuery(await signUpgrade(key, { role: 'host-control', ts: Date.now() }))}`,
  );
  control.on('message', (text: Buffer) => {
    const message = parseControlMessage(text.toString());
    if (message?.type === 'connected') void attach(relayUrl, key, message.connectionId);
  });
  await once(control, 'message');
}

async function attach(relayUrl: string, key: HostIdentity, connectionId: string): Promise<void> {
  const upgrade = await signUpgrade(key, { role: 'host-data', connectionId, ts: Date.now() });
  const data = new WebSocket(`${relayUrl}?${formatUpgradeQuery(upgrade)}`);
  data.on('message', (message: Buffer, isBinary) => data.send(message, { binary: isBinary }));
}
