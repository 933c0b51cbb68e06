import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { FakeClock, Inbox, makeIdentity, makeTunnelKeyPair } from '@openchambery/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import type { ClientStatus, RelayClient } from '../../src/index.ts';
import { createRelayClient } from '../../src/index.ts';

interface Upgrade {
  readonly socket: WebSocket;
  readonly query: URLSearchParams;
}

interface Scripted {
  readonly clock: FakeClock;
  readonly client: RelayClient;
  readonly serverId: string;
  readonly statuses: Inbox<ClientStatus>;
  readonly upgrades: Inbox<Upgrade>;
}

/** A relay that does nothing by itself, and a Client that connects to it. */
async function makeScripted(): Promise<Scripted> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  const upgrades = new Inbox<Upgrade>('upgrades', ({ query }) => query.get('role') ?? '');
  server.on('connection', (socket, request) => {
    upgrades.push({ socket, query: new URLSearchParams((request.url ?? '').split('?')[1]) });
  });
  const clock = new FakeClock(Date.now());
  const { serverId } = makeIdentity();
  const { x, y } = makeTunnelKeyPair().publicJwk;
  const client = createRelayClient({
    relayUrl: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws?stripped=1#too`,
    serverId,
    hostEncPubJwk: { kty: 'EC', crv: 'P-256', x, y },
    clock,
  });
  const statuses = new Inbox<ClientStatus>('statuses', ({ state }) => state);
  client.onStatus((status) => statuses.push(status));
  onTestFinished(() => {
    client.close();
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return { clock, client, serverId, statuses, upgrades };
}

test('query and fragment of the relay URL are stripped, and only the fields of Layer 1 are sent', async () => {
  const { client, upgrades, serverId } = await makeScripted();
  client.connect().catch(() => 'ends with the world');
  const { query } = await upgrades.take();
  expect(Object.fromEntries(query)).toEqual({ v: '1', role: 'client', serverId });
});

test.each([4002, 4010, 4029])('%i is for good, with the reason of the relay', async (code) => {
  const { clock, client, upgrades, statuses } = await makeScripted();
  const connecting = client.connect().catch((error: unknown) => error);
  const { socket } = await upgrades.take();
  socket.close(code, `limit: reason for ${code}`);
  const error = { code: 'ERR_RELAY_CLIENT_REFUSED', closeCode: code, reason: `limit: reason for ${code}` };
  expect(await connecting).toMatchObject(error);
  const status = await statuses.take({ matches: ({ state }) => state === 'failed' });
  expect(status).toMatchObject({ state: 'failed', error });
  clock.advance(3_600_000);
  expect(upgrades.size).toBe(0);
  expect(client.status.state).toBe('failed');
  client.connect().catch(() => 'ends with the world');
  await upgrades.take();
});

test.each([1000, 1002, 1008, 1009, 1011, 1012, 1013, 4001, 4003, 4008, 4999])(
  '%i is tried again within 30 s',
  async (code) => {
    const { clock, client, upgrades, statuses } = await makeScripted();
    client.connect().catch(() => 'ends with the world');
    for (let time = 0; time < 6; time += 1) {
      const { socket } = await upgrades.take();
      socket.close(code, 'reason');
      // While it tries again, a Client says so with a wait of 0.
      const status = await statuses.take({
        matches: (candidate) => candidate.state === 'reconnecting' && candidate.retryInMs > 0,
      });
      if (status.state !== 'reconnecting') throw new Error('taken for its state');
      expect(status.error.closeCode).toBe(code);
      expect(status.retryInMs).toBeLessThanOrEqual(30_000);
      clock.advance(status.retryInMs);
    }
  },
);

test('4008 says that the Host is not there', async () => {
  const { client, upgrades, statuses } = await makeScripted();
  client.connect().catch(() => 'ends with the world');
  (await upgrades.take()).socket.close(4008, 'no such Host');
  const status = await statuses.take({ matches: ({ state }) => state === 'reconnecting' });
  expect(status).toMatchObject({ error: { code: 'ERR_RELAY_CLIENT_HOST_UNAVAILABLE', closeCode: 4008 } });
});
