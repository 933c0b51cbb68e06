import { createRelayServer } from '@openchambery/relay';
import { eventually, FakeClock } from '@openchambery/testkit';
import { systemClock } from '@openchambery/tunnel';
import { expect, onTestFinished, test } from 'vitest';
import type { HostStatus } from '../src/relay-host.ts';
import { clientOf, KEYS, makeHost, startRelay, statusIn } from './support/relay-stage.ts';
import { get } from './support/tunnel-client.ts';

test('serves a Client through a relay, and tells of both ends of its connection', async () => {
  const { url } = await startRelay();
  const host = makeHost({ relayUrl: `${url}?stripped#too` });
  expect(host.relayUrl).toBe(url);
  expect(host.serverId).toBe(KEYS.signing.serverId);
  const statuses: HostStatus[] = [];
  host.on('status', (status) => statuses.push(status));
  host.start();
  await host.connected();
  expect(statuses).toEqual([{ state: 'connecting' }, { state: 'connected' }]);

  const opened = new Promise<string>((resolve) => {
    host.on('connectionOpened', ({ connectionId }) => resolve(connectionId));
  });
  const closed = new Promise<{ connectionId: string; reason: string }>((resolve) => {
    host.on('connectionClosed', resolve);
  });
  const client = await clientOf(url);
  const { status, body } = await get(client, '/path');
  const connectionId = await opened;
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({ path: '/path', connectionId });
  expect(host.snapshot()).toMatchObject({ connections: 1, turnedAwayConnections: 0, lastError: undefined });
  expect(host.snapshot().sentBytes).toBeGreaterThanOrEqual(body.length);

  client.tunnel.close(1000, 'bye');
  expect((await closed).connectionId).toBe(connectionId);
  expect(host.snapshot()).toMatchObject({ connections: 0, openStreams: 0 });
  expect(host.snapshot().sentBytes).toBeGreaterThanOrEqual(body.length);
});

test('finds Clients that came while it was away in its next sync', async () => {
  const { url } = await startRelay();
  const before = makeHost({ relayUrl: url });
  before.start();
  await before.connected();
  await before.stop();
  const client = await clientOf(url);
  const host = makeHost({ relayUrl: url });
  host.start();
  await client.opened;
  expect((await get(client, '/')).status).toBe(200);
});

test('shows how far its clock is off, in the words of the relay', async () => {
  const { url } = await startRelay();
  const clock = { ...systemClock, epochMs: () => Date.now() - 312_000 };
  const host = makeHost({ relayUrl: url, clock });
  host.start();
  const refused = await statusIn(host, 'refused');
  expect(refused.code).toBe(4010);
  expect(refused.reason).toMatch(/^auth: timestamp 31[12] s behind the relay$/);
  expect(refused.retryInMs).toBeGreaterThanOrEqual(1000);
  expect(host.snapshot().lastError).toBe(refused.reason);
});

test('shows that another Host with its identity took over', async () => {
  const { url } = await startRelay();
  const host = makeHost({ relayUrl: url });
  host.start();
  await host.connected();
  const other = makeHost({ relayUrl: url });
  other.start();
  await other.connected();
  expect(await statusIn(host, 'refused')).toMatchObject({ code: 4001 });
});

test('comes back after a relay that restarts', async () => {
  const { relay, port, url } = await startRelay();
  const host = makeHost({ relayUrl: url, random: () => 0.9 });
  host.start();
  await host.connected();
  await relay.close();
  expect((await statusIn(host, 'reconnecting')).reason).toContain('the relay went away');
  const next = createRelayServer({ port });
  await next.start();
  try {
    await host.connected();
    const client = await clientOf(url);
    expect((await get(client, '/')).status).toBe(200);
  } finally {
    await host.stop();
    await next.close();
  }
});

test('says why there is no connection, and keeps trying', async () => {
  const { relay, url } = await startRelay();
  await relay.close();
  const host = makeHost({ relayUrl: url, random: () => 0.99 });
  let tries = 0;
  host.on('status', ({ state }) => {
    if (state === 'connecting') tries += 1;
  });
  host.start();
  expect((await statusIn(host, 'reconnecting')).reason).toContain('is the relay running');
  await eventually(() => expect(tries).toBeGreaterThan(2));
});

test('says that the path is wrong', async () => {
  const { url } = await startRelay({ path: '/relay' });
  const host = makeHost({ relayUrl: url });
  host.start();
  expect(await statusIn(host, 'refused')).toMatchObject({
    code: 1008,
    reason: expect.stringMatching(/path/),
  });
});

test('leaves the first Client beyond maxConnections to the relay', async () => {
  const { url } = await startRelay({ limits: { pendingMs: 300 } });
  const host = makeHost({ relayUrl: url, maxConnections: 2 });
  host.start();
  await host.connected();
  const clients = [await clientOf(url), await clientOf(url)];
  for (const client of clients) await client.opened;
  const third = await clientOf(url);
  expect((await third.ended).code).toBe(4008);
  expect(host.snapshot()).toMatchObject({ connections: 2, turnedAwayConnections: 1 });
  expect(host.snapshot().lastError).toContain('2 already');

  clients[0]?.tunnel.close(1000, '');
  await eventually(() => expect(host.snapshot().connections).toBe(1));
  const fourth = await clientOf(url);
  await fourth.opened;
});

test('disconnects one Client and keeps the others', async () => {
  const { url } = await startRelay();
  const host = makeHost({ relayUrl: url });
  host.start();
  await host.connected();
  const ids: string[] = [];
  host.on('connectionOpened', ({ connectionId }) => ids.push(connectionId));
  const first = await clientOf(url);
  await first.opened;
  const second = await clientOf(url);
  await second.opened;
  await eventually(() => expect(ids).toHaveLength(2));
  host.disconnect(ids[0] ?? '', 'the pairing was revoked');
  expect((await first.ended).code).toBe(1012);
  expect((await get(second, '/')).status).toBe(200);
  host.disconnect('nobody', 'harmless');
});

test('stops with everything that belongs to it', async () => {
  const { url, relay } = await startRelay();
  const host = makeHost({ relayUrl: url });
  const before = process.getActiveResourcesInfo();
  host.start();
  await host.connected();
  const client = await clientOf(url);
  await client.opened;
  await Promise.all([host.stop(), host.stop()]);
  expect(host.status).toEqual({ state: 'stopped' });
  expect((await client.ended).code).toBe(1012);
  await expect(host.connected()).rejects.toMatchObject({ code: 'ERR_HOST_STOPPED' });
  host.start();
  expect(host.status).toEqual({ state: 'stopped' });
  await eventually(() => expect(relay.snapshot().rawSockets).toBe(0));
  await eventually(() => {
    const count = (names: string[], name: string): number => names.filter((other) => other === name).length;
    const after = process.getActiveResourcesInfo();
    expect(count(after, 'TCPSocketWrap')).toBeLessThanOrEqual(count(before, 'TCPSocketWrap'));
  });
});

test('leaves no timer, whenever it is stopped', async () => {
  const { url } = await startRelay();
  for (const moment of ['idle', 'connecting', 'connected', 'serving'] as const) {
    const clock = new FakeClock(Date.now());
    const host = makeHost({ relayUrl: url, clock });
    if (moment !== 'idle') host.start();
    if (moment === 'connected' || moment === 'serving') await host.connected();
    if (moment === 'serving') {
      const opened = new Promise((resolve) => {
        host.on('connectionOpened', resolve);
      });
      const client = await clientOf(url);
      await client.opened;
      await opened;
      await get(client, '/');
    }
    await host.stop();
    expect(clock.pendingTimers, moment).toBe(0);
  }
});

test('rejects connected() when it is stopped meanwhile', async () => {
  const host = makeHost({ relayUrl: 'ws://127.0.0.1:9/ws' });
  host.start();
  const [outcome] = await Promise.allSettled([host.connected(), host.stop()]);
  expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ERR_HOST_STOPPED' } });
});

test('lets any number wait for it to be connected', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const { url } = await startRelay();
  const host = makeHost({ relayUrl: url });
  const waiting = Array.from({ length: 20 }, () => host.connected());
  host.start();
  await Promise.all(waiting);
  expect(warnings).toEqual([]);
});
