import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { FakeClock, Inbox } from '@openchambery/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { createHostKeys, createRelayHost } from '../../src/index.ts';
import type { HostStatus, RelayHost } from '../../src/index.ts';

interface Upgrade {
  readonly socket: WebSocket;
  readonly query: URLSearchParams;
}

interface Scripted {
  readonly clock: FakeClock;
  readonly host: RelayHost;
  readonly statuses: Inbox<HostStatus>;
  readonly upgrades: Inbox<Upgrade>;
}

/** A relay that does nothing by itself, and a Host that has been started. */
async function makeScripted({ autoPong = true, random = 0.5 } = {}): Promise<Scripted> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, autoPong });
  await once(server, 'listening');
  const upgrades = new Inbox<Upgrade>('upgrades', ({ query }) => query.get('role') ?? '');
  server.on('connection', (socket, request) => {
    upgrades.push({ socket, query: new URLSearchParams((request.url ?? '').split('?')[1]) });
  });
  const clock = new FakeClock(Date.now());
  const host = createRelayHost({
    relayUrl: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws?stripped=1#too`,
    identity: await createHostKeys(),
    handler: () => new Response('unused'),
    clock,
    random: () => random,
  });
  const statuses = new Inbox<HostStatus>('statuses', ({ state }) => state);
  host.on('status', (status) => statuses.push(status));
  onTestFinished(async () => {
    for (const socket of server.clients) socket.terminate();
    await host.stop();
    server.close();
  });
  host.start();
  return { clock, host, statuses, upgrades };
}

async function nextControl(upgrades: Inbox<Upgrade>): Promise<WebSocket> {
  const { socket } = await upgrades.take({ matches: ({ query }) => query.get('role') === 'host-control' });
  socket.send('{"type":"sync","connectionIds":[]}');
  return socket;
}

test('query and fragment of the relay URL are stripped', async () => {
  const { upgrades } = await makeScripted();
  const { query } = await upgrades.take();
  expect([...query.keys()].sort()).toEqual(['pk', 'role', 'serverId', 'sig', 'ts', 'v']);
});

test('control messages of unknown types, and unknown members, are ignored', async () => {
  const { host, upgrades } = await makeScripted();
  const control = await nextControl(upgrades);
  await host.connected();
  for (const text of ['{"type":"future","connectionId":"x"}', '{}', 'null', 'no json', '[]'])
    control.send(text);
  const connectionId = Buffer.alloc(16, 5).toString('base64url');
  control.send(JSON.stringify({ type: 'connected', connectionId, extra: true }));
  const { query } = await upgrades.take();
  expect([query.get('role'), query.get('connectionId')]).toEqual(['host-data', connectionId]);
});

test('Clients that the sync lists get a data socket each', async () => {
  const { upgrades } = await makeScripted();
  const { socket } = await upgrades.take();
  const connectionIds = [1, 2].map((byte) => Buffer.alloc(16, byte).toString('base64url'));
  socket.send(JSON.stringify({ type: 'sync', connectionIds }));
  const got = [await upgrades.take(), await upgrades.take()];
  expect(new Set(got.map(({ query }) => query.get('connectionId')))).toEqual(new Set(connectionIds));
});

test('the control socket is pinged every 30 s', async () => {
  const { clock, host, upgrades } = await makeScripted();
  const control = await nextControl(upgrades);
  await host.connected();
  for (let time = 0; time < 3; time += 1) {
    const pinged = once(control, 'ping');
    clock.advance(30_000);
    await pinged;
    // The pong must have been read before time goes on.
    await new Promise((resolve) => {
      control.once('pong', resolve);
      control.ping();
    });
  }
  expect(host.status.state).toBe('connected');
});

test('40 s without a sign of life on the control socket: a new one, not a ms before', async () => {
  const { clock, host, upgrades, statuses } = await makeScripted({ autoPong: false });
  const control = await nextControl(upgrades);
  await host.connected();
  clock.advance(39_999);
  expect(host.status.state).toBe('connected');
  clock.advance(1);
  await statuses.take({ matches: ({ state }) => state === 'reconnecting' });
  clock.advance(1000);
  await nextControl(upgrades);
  control.terminate();
});

test('any message is a sign of life', async () => {
  const { clock, host, upgrades } = await makeScripted({ autoPong: false });
  const control = await nextControl(upgrades);
  await host.connected();
  for (let time = 0; time < 4; time += 1) {
    clock.advance(25_000);
    control.send('{"type":"future"}');
    await new Promise((resolve) => {
      control.once('pong', resolve);
      control.ping();
    });
  }
  expect(host.status.state).toBe('connected');
});

/** The first waits of a Host whose relay hangs up on it each time. */
async function waitsWith(random: number): Promise<number[]> {
  const { clock, upgrades, statuses } = await makeScripted({ random });
  const waits: number[] = [];
  for (let time = 0; time < 7; time += 1) {
    const { socket } = await upgrades.take();
    socket.terminate();
    const status = await statuses.take({ matches: ({ state }) => state === 'reconnecting' });
    if (status.state !== 'reconnecting') throw new Error('taken for its state');
    waits.push(status.retryInMs);
    clock.advance(status.retryInMs);
  }
  return waits;
}

test('tries again after 1 s at most, then after twice as long each time, up to 30 s', async () => {
  // Whichever way the jitter goes, one end of it is the whole wait.
  const [low, high] = [await waitsWith(0), await waitsWith(0.999_999)];
  const longest = low.map((wait, index) => Math.max(wait, high[index] ?? 0));
  expect(longest.map((wait) => Math.round(wait / 100) * 100)).toEqual([
    1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
});

test.each([4001, 4002, 4003, 4008, 4010, 4029, 1008, 1012])('a Host tries again after %i', async (code) => {
  const { clock, upgrades, statuses } = await makeScripted();
  const { socket } = await upgrades.take();
  socket.close(code, `reason for ${code}`);
  const status = await statuses.take({
    matches: ({ state }) => state === 'reconnecting' || state === 'refused',
  });
  if (status.state !== 'reconnecting' && status.state !== 'refused') throw new Error('taken for its state');
  expect(status.reason).toContain(`reason for ${code}`);
  clock.advance(status.retryInMs);
  await nextControl(upgrades);
});
