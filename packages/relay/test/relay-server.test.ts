import { eventually, makeIdentity, openPair, RawSocket, TestClient, TestHost } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createRelayServer,
  RelayOptionError,
  type RelayServer,
  type RelayServerOptions,
} from '../src/index.ts';

const running: RelayServer[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((relay) => relay.close()));
});

async function start(
  options: RelayServerOptions = {},
): Promise<{ relay: RelayServer; url: string; port: number }> {
  const relay = createRelayServer({ port: 0, ...options });
  running.push(relay);
  await relay.start();
  const { host, port } = relay.address();
  return { relay, url: `ws://${host}:${port}/ws`, port };
}

/** Every number of a snapshot that stands for something held. */
function gauges(relay: RelayServer): Record<string, number> {
  const snapshot = relay.snapshot();
  const { state, totals, admissionEntries, replayEntries, sockets, ...rest } = snapshot;
  expect([typeof state, typeof totals, admissionEntries >= 0, replayEntries >= 0]).toEqual([
    'string',
    'object',
    true,
    true,
  ]);
  return { ...rest, ...sockets };
}

function expectAllZero(relay: RelayServer): void {
  const held = Object.entries(gauges(relay)).filter(([, value]) => value !== 0);
  expect(held).toEqual([]);
}

describe('a relay used as a library', () => {
  it('carries messages between ws peers, tells of it, and ends with nothing held', async () => {
    const { relay, url } = await start();
    const heard: string[] = [];
    for (const name of ['hostOnline', 'paired', 'hostInGrace', 'hostOffline', 'socketClosed'] as const) {
      relay.on(name, () => heard.push(name));
    }
    const host = await TestHost.connect(url);
    const { client, data } = await openPair(url, host);
    await client.send('to the Host');
    expect(await data.text()).toBe('to the Host');
    await data.send(Buffer.from([1, 2, 3]));
    expect((await client.message()).data).toEqual(Buffer.from([1, 2, 3]));
    expect(relay.snapshot()).toMatchObject({
      state: 'listening',
      rawSockets: 3,
      sockets: { 'host-control': 1, client: 1, 'host-data': 1 },
      hosts: 1,
      hostsInGrace: 0,
      connections: 1,
      pendingClients: 0,
      queuedBytes: 0,
      pausedSources: 0,
      totals: { accepted: { 'host-control': 1, client: 1, 'host-data': 1 }, refused: {}, closed: {} },
    });

    await relay.close();
    const reason = 'the relay is stopping';
    for (const peer of [host.control, client, data]) {
      expect(await peer.closed()).toEqual({ code: 1012, reason });
    }
    expect(relay.snapshot()).toMatchObject({ state: 'closed', totals: { closed: { stopping: 3 } } });
    expectAllZero(relay);
    expect(heard).toEqual([
      'hostOnline',
      'paired',
      'hostOffline',
      'socketClosed',
      'socketClosed',
      'socketClosed',
    ]);
  });

  it('holds nothing once close() is over, also when peers neither read nor answer', async () => {
    const { relay, url, port } = await start({ limits: { closeDeadlineMs: 200, maxFrameBytes: 1_000_000 } });
    const host = await TestHost.connect(url);
    const { client, data } = await openPair(url, host);
    const idle = await RawSocket.connect({ port });
    client.pause();
    void data.send(Buffer.alloc(1_000_000)).catch(() => 'it may be cut');
    for (let count = 0; count < 20; count++) void data.send(Buffer.alloc(1_000_000)).catch(() => 'as above');
    await eventually(() => expect(relay.snapshot().queuedBytes).toBeGreaterThan(0));
    await relay.close();
    expectAllZero(relay);
    client.terminate();
    idle.destroy();
  });

  it('has zero gauges while it runs on, once its peers are gone without a word', async () => {
    const { relay, url } = await start({ limits: { graceMs: 50, maxQueuedBytesPerConnection: 65_536 } });
    const host = await TestHost.connect(url);
    const pairs = [await openPair(url, host), await openPair(url, host), await openPair(url, host)];
    for (const { client, data } of pairs) {
      client.pause();
      for (let count = 0; count < 60; count++) {
        void data.send(Buffer.alloc(100_000)).catch(() => 'it is cut below');
      }
    }
    await eventually(() => expect(relay.snapshot().pausedSources).toBe(3));
    for (const peer of [host.control, ...pairs.flatMap(({ client, data }) => [client, data])])
      peer.terminate();
    await eventually(() => expectAllZero(relay));
    expect(relay.snapshot().state).toBe('listening');
  });

  it('shares nothing with another relay of the same process', async () => {
    const [first, second] = [await start(), await start({ limits: { maxHosts: 1 } })];
    expect(first.port).not.toBe(second.port);
    const identity = makeIdentity();
    const hosts = [
      await TestHost.connect(first.url, { identity }),
      await TestHost.connect(second.url, { identity }),
    ] as const;
    const pair = await openPair(second.url, hosts[1]);
    await first.relay.close();
    expect((await hosts[0].control.closed()).code).toBe(1012);
    await pair.client.send('still here');
    expect(await pair.data.text()).toBe('still here');
    expect(second.relay.snapshot()).toMatchObject({ hosts: 1, connections: 1 });
  });

  it('does not let a listener that throws take a connection with it', async () => {
    const { relay, url } = await start();
    relay.on('paired', () => {
      throw new Error('planned');
    });
    const { client, data } = await openPair(url, await TestHost.connect(url));
    await client.send('through');
    expect(await data.text()).toBe('through');
  });

  it('may be closed by one of its own listeners', async () => {
    const { relay, url } = await start();
    relay.on('paired', () => void relay.close());
    const host = await TestHost.connect(url);
    const client = await TestClient.connect(url, host.serverId);
    const data = await host.attach(await host.nextId('connected'));
    for (const peer of [client, data, host.control]) expect((await peer.closed()).code).toBe(1012);
    await relay.close();
    expectAllZero(relay);
  });

  it('says where it listens, and only while it does', async () => {
    const relay = createRelayServer({ port: 0 });
    expect(() => relay.address()).toThrow('not listening');
    await relay.start();
    expect(relay.address().port).toBeGreaterThan(0);
    await relay.close();
    expect(() => relay.address()).toThrow('not listening');
  });

  it('gives the reason of Node when its port is taken', async () => {
    const { port } = await start();
    const second = createRelayServer({ port });
    await expect(second.start()).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await second.close();
  });

  it('refuses bad options before anything opens', () => {
    expect(() => createRelayServer({ limits: { maxHosts: 0 } })).toThrow(RelayOptionError);
  });
});
