import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { RelayServer } from '@openchambery/relay';
import { createEncryptionKeys, type HostHttpStream } from '@openchambery/tunnel';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { createRelayClient } from '../../src/create-relay-client.ts';
import type { ClientStatus, RelayClient, RelayClientOptions } from '../../src/relay-client.ts';
import { echoHandlers } from '../support/echo-handlers.ts';
import { SmallHost, startRelay } from '../support/relay-and-host.ts';
import { someOptions } from '../support/scripted-client.ts';
import { soon } from '../support/soon.ts';

const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function relayOf(...options: Parameters<typeof startRelay>): Promise<RelayServer> {
  const relay = await startRelay(...options);
  endings.push(() => relay.close());
  return relay;
}

async function hostOf(relay: RelayServer, handlers = echoHandlers()): Promise<SmallHost> {
  const host = await SmallHost.start(relay, handlers);
  endings.push(() => host.stop());
  return host;
}

/** A Client that does not wait long before it tries again. */
function clientOf(options: RelayClientOptions): RelayClient {
  const client = createRelayClient({ random: () => 0.05, ...options });
  endings.push(() => client.close());
  return client;
}

/** A relay that refuses everyone. */
async function refusing(code: number, reason: string): Promise<{ url: string; asked: () => number }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  let asked = 0;
  server.on('connection', (socket) => {
    asked += 1;
    socket.close(code, reason);
  });
  await once(server, 'listening');
  endings.push(() => server.close());
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`, asked: () => asked };
}

async function nextStatus(client: RelayClient, state: ClientStatus['state']): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = client.onStatus((status) => {
      if (status.state !== state) return;
      stop();
      resolve();
    });
  });
}

describe('refusals', () => {
  it.each([4002, 4010, 4029])('with %d are final, and carry the reason', async (code) => {
    const relay = await refusing(code, 'limit: too many of you');
    const client = clientOf({ ...someOptions, relayUrl: relay.url });
    const failure = { code: 'ERR_RELAY_CLIENT_REFUSED', closeCode: code, reason: 'limit: too many of you' };
    await expect(client.fetch('/')).rejects.toMatchObject(failure);
    expect(client.status).toMatchObject({ state: 'failed', error: failure });
    await expect(client.connect()).rejects.toMatchObject(failure);
    expect(relay.asked()).toBe(2);
  });

  it.each([1008, 1012, 1013, 4001, 4008])('with %d are tried again', async (code) => {
    const relay = await refusing(code, 'later');
    const client = clientOf({ ...someOptions, relayUrl: relay.url });
    client.connect().catch(() => undefined);
    await soon(relay.asked).toBeGreaterThan(1);
    expect(client.status.state).not.toBe('failed');
  });

  it('of the real relay: one Client too many of an address', async () => {
    const relay = await relayOf({ limits: { maxClientsPerIp: 1 } });
    const host = await hostOf(relay);
    await clientOf(host.pairing).connect();
    const second = clientOf(host.pairing);
    await expect(second.connect()).rejects.toMatchObject({
      code: 'ERR_RELAY_CLIENT_REFUSED',
      closeCode: 4029,
    });
  });

  it('for want of a Host end when it comes', async () => {
    const relay = await relayOf({ limits: { graceMs: 1 } });
    const host = await hostOf(relay);
    const client = clientOf(host.pairing);
    host.stop();
    await soon(() => relay.snapshot().hosts).toBe(0);
    client.connect().catch(() => undefined);
    await nextStatus(client, 'reconnecting');
    expect(client.status).toMatchObject({
      error: { code: 'ERR_RELAY_CLIENT_HOST_UNAVAILABLE', closeCode: 4008 },
    });
    await host.connect();
    expect((await client.fetch('/mirror')).status).toBe(200);
  });
});

describe('a key that is not the Host’s', () => {
  it('is named as the likely cause, soon', async () => {
    const host = await hostOf(await relayOf());
    const { publicJwk } = await createEncryptionKeys();
    const client = clientOf({ ...host.pairing, hostEncPubJwk: publicJwk });
    await expect(client.fetch('/mirror')).rejects.toMatchObject({
      code: 'ERR_RELAY_CLIENT_HANDSHAKE',
      message: expect.stringContaining('key'),
    });
  });
});

describe('a relay that restarts', () => {
  it('costs a GET nothing, and a POST fails clearly', async () => {
    const relay = await relayOf();
    const held: HostHttpStream[] = [];
    const hold = async (stream: HostHttpStream): Promise<void> => void held.push(stream);
    const host = await hostOf(relay, echoHandlers({ '/hold': hold }));
    const client = clientOf(host.pairing);
    const get = client.fetch('/hold');
    const post = client.fetch('/hold', { method: 'POST', body: 'x' });
    post.catch(() => undefined);
    await soon(() => held.length).toBe(2);
    const { port } = relay.address();
    await relay.close();
    await expect(post).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_CONNECTION_LOST' });
    await relayOf({ port });
    await host.connect();
    await soon(() => held.length).toBe(3);
    held[2]?.respond({ status: 200, headers: {} })?.end();
    expect((await get).status).toBe(200);
  });
});

describe('a network that changes', () => {
  it('costs nothing when the connection still lives', async () => {
    const host = await hostOf(await relayOf());
    const client = clientOf(host.pairing);
    await client.connect();
    client.networkChanged();
    expect((await client.fetch('/mirror')).status).toBe(200);
    expect(client.status).toEqual({ state: 'connected' });
    expect(host.sockets).toHaveLength(1);
  });

  it('gets a new connection within seconds when it does not', async () => {
    const host = await hostOf(await relayOf());
    const client = clientOf(host.pairing);
    await client.connect();
    // Half open: nothing is read at the other end, and nothing is said.
    host.sockets[0]?.pause();
    client.networkChanged();
    await nextStatus(client, 'connected');
    expect((await client.fetch('/mirror')).status).toBe(200);
    expect(host.sockets).toHaveLength(2);
  });
});

describe('a process', () => {
  it('ends by itself once its Client is closed, and not before', async () => {
    const host = await hostOf(await relayOf());
    const program = fileURLToPath(new URL('../support/one-fetch.ts', import.meta.url));
    const child = spawn(
      process.execPath,
      ['--conditions=@openchambery/source', program, JSON.stringify(host.pairing)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect(line.toString()).toBe('200\n');
    expect(child.exitCode).toBeNull();
    const exited = once(child, 'exit');
    child.stdin.end('close');
    expect(await exited).toEqual([0, null]);
  });
});
