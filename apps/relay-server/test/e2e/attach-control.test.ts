import { clientQuery, delay, eventually, makeIdentity, signedQuery } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { ownRelay, roomy, useRelay } from './support/relay.ts';
import {
  attachData,
  connectClient,
  connectHost,
  connectPair,
  connectPending,
  expectClosed,
  expectFlows,
  expectLive,
  newHost,
  refusal,
} from './support/sockets.ts';

// Layer 1 §5: host-control, the control messages, replacing; §7: grace.

describe('a control socket', () => {
  const relay = useRelay({ limits: roomy });

  it('gets the sync first, as text', async () => {
    const { control } = newHost(relay);
    const { data, isBinary } = await control.message();
    expect(isBinary).toBe(false);
    expect(data.toString()).toBe('{"type":"sync","connectionIds":[]}');
  });

  it('is told of each Client that comes and goes, pending or paired', async () => {
    const host = await connectHost(relay);
    const client = await connectClient(relay, host.serverId);
    const connected = await host.control.text();
    const { connectionId } = JSON.parse(connected) as { connectionId: string };
    expect(connectionId).toMatch(/^[\w-]{21}[AQgw]$/u);
    expect(connected).toBe(`{"type":"connected","connectionId":"${connectionId}"}`);
    client.close(1000);
    expect(await host.control.text()).toBe(`{"type":"disconnected","connectionId":"${connectionId}"}`);

    const pair = await connectPair(relay, host);
    pair.client.close(1000);
    expect(await host.nextId('disconnected')).toBe(pair.connectionId);

    const abrupt = await connectPair(relay, host);
    abrupt.client.terminate();
    expect(await host.nextId('disconnected')).toBe(abrupt.connectionId);

    const lost = await connectPending(relay, host);
    lost.client.terminate();
    expect(await host.nextId('disconnected')).toBe(lost.connectionId);
  });

  it('is told when its own data socket closes', async () => {
    const host = await connectHost(relay);
    const pair = await connectPair(relay, host);
    pair.data.close(1000);
    expect(await host.nextId('disconnected')).toBe(pair.connectionId);
  });

  it('is told nothing of other Hosts', async () => {
    const [one, two] = [await connectHost(relay), await connectHost(relay)];
    await expectLive(relay, one);
    await expectLive(relay, two);
    expect([one.control.messages.size, two.control.messages.size]).toEqual([0, 0]);
  });

  it('gives every Client another connectionId', async () => {
    const host = await connectHost(relay);
    const ids = new Set<string>();
    for (let i = 0; i < 40; i++) ids.add((await connectPending(relay, host)).connectionId);
    expect(ids.size).toBe(40);
  });

  it('may send anything: it is ignored', async () => {
    const host = await connectHost(relay);
    const { client, connectionId } = await connectPending(relay, host);
    for (const junk of [
      '',
      'hello',
      '{"type":"sync"}',
      `{"type":"disconnected","connectionId":"${connectionId}"}`,
    ]) {
      await host.control.send(junk);
    }
    await host.control.send(Buffer.alloc(100_000));
    await host.control.roundTrip();
    await expectFlows({ client, data: await attachData(host, connectionId) });
    expect(host.control.messages.size).toBe(0);
  });

  it('that sends a frame over MAX_FRAME_BYTES is closed with 1009', async () => {
    const host = await connectHost(relay);
    host.control.socket.send(Buffer.alloc(131_073));
    await expectClosed(host.control, 1009);
  });
});

describe('a newer control', () => {
  const relay = useRelay({ limits: roomy });

  it('replaces the old one, its pairs and its pending Clients with 4001', async () => {
    const identity = makeIdentity();
    const old = await connectHost(relay, { identity });
    const pairs = [await connectPair(relay, old), await connectPair(relay, old)];
    const { client: pending } = await connectPending(relay, old);

    // connectHost waits for the sync; that it is empty is looked at below.
    const next = await connectHost(relay, { identity });
    await expectClosed(old.control, 4001);
    for (const { client, data } of pairs) {
      await expectClosed(client, 4001);
      await expectClosed(data, 4001);
    }
    await expectClosed(pending, 4001);
    await expectLive(relay, next);
    await expectFlows(await connectPair(relay, next));
  });

  it('has nothing to sync, and is not told of what went with the old one', async () => {
    const identity = makeIdentity();
    const old = await connectHost(relay, { identity });
    await connectPair(relay, old);
    await connectPending(relay, old);
    const next = newHost(relay, { identity });
    expect(await next.control.text()).toBe('{"type":"sync","connectionIds":[]}');
    await expectClosed(old.control, 4001);
    await expectLive(relay, next);
  });

  it('does not disturb another Host', async () => {
    const bystander = await connectHost(relay);
    const pair = await connectPair(relay, bystander);
    const identity = makeIdentity();
    await connectHost(relay, { identity });
    await connectHost(relay, { identity });
    await expectFlows(pair);
    await expectLive(relay, bystander);
  });

  it('is not disturbed by the late end of the old one', async () => {
    const identity = makeIdentity();
    const old = await connectHost(relay, { identity });
    old.control.pause();
    const next = await connectHost(relay, { identity });
    const pair = await connectPair(relay, next);
    old.control.terminate();
    await expectLive(relay, next);
    await expectFlows(pair);
  });

  it('refuses data for a connectionId of before', async () => {
    const identity = makeIdentity();
    const old = await connectHost(relay, { identity });
    const { client, connectionId } = await connectPending(relay, old);
    await connectHost(relay, { identity });
    await expectClosed(client, 4001);
    const query = signedQuery({ identity, role: 'host-data', connectionId });
    expect((await refusal(relay, query)).code).toBe(4002);
  });

  it('wins among many that come at once, and exactly one is left', async () => {
    const identity = makeIdentity();
    const all = Array.from({ length: 8 }, () => newHost(relay, { identity }));
    await Promise.all(all.map((host) => host.control.opened()));
    await eventually(() => {
      const open = all.filter((host) => host.control.socket.readyState === 1);
      expect(open).toHaveLength(1);
    });
    const [winner] = all.filter((host) => host.control.socket.readyState === 1);
    for (const host of all) {
      if (host !== winner) await expectClosed(host.control, 4001);
    }
    await winner?.next('sync');
    if (winner !== undefined) await expectLive(relay, winner);
  });
});

describe('grace', () => {
  const relay = useRelay({ limits: { ...roomy, GRACE_MS: 30_000 } });

  it.each(['close frame', 'cut'])('keeps pairs when the control is lost by %s', async (how) => {
    const host = await connectHost(relay);
    const pair = await connectPair(relay, host);
    if (how === 'cut') host.control.terminate();
    else host.control.close(1000);
    await host.control.closed();
    await expectFlows(pair);
  });

  it('takes new Clients, and the next control syncs them with the old ones', async () => {
    const host = await connectHost(relay);
    const { identity } = host;
    const pair = await connectPair(relay, host);
    const before = await connectPending(relay, host);
    host.control.terminate();
    await host.control.closed();
    const during = await connectClient(relay, identity.serverId);
    await during.send('kept for later');
    await during.roundTrip();

    const next = newHost(relay, { identity });
    const { connectionIds = [] } = await next.next('sync');
    expect(connectionIds).toHaveLength(3);
    expect(connectionIds).toContain(pair.connectionId);
    expect(connectionIds).toContain(before.connectionId);
    const duringId = connectionIds.find((id) => id !== pair.connectionId && id !== before.connectionId);

    await expectFlows(pair);
    const data = await attachData(next, duringId ?? '');
    expect(await data.text()).toBe('kept for later');
    await expectFlows({ client: during, data });
    await expectFlows({ client: before.client, data: await attachData(next, before.connectionId) });
    await expectLive(relay, next);
  });

  it('lets data attach before the control is back', async () => {
    const host = await connectHost(relay);
    const { client, connectionId } = await connectPending(relay, host);
    host.control.terminate();
    await host.control.closed();
    await expectFlows({ client, data: await attachData(host, connectionId) });
  });

  it('does not sync what has gone meanwhile', async () => {
    const host = await connectHost(relay);
    const stays = await connectPair(relay, host);
    const goes = await connectPair(relay, host);
    const pending = await connectPending(relay, host);
    host.control.terminate();
    await host.control.closed();
    goes.client.close();
    pending.client.close();
    await goes.data.closed();
    await pending.client.closed();
    const next = newHost(relay, { identity: host.identity });
    expect((await next.next('sync')).connectionIds).toEqual([stays.connectionId]);
    await expectFlows(stays);
  });
});

describe('the end of grace', () => {
  const GRACE_MS = 1500;
  const relay = useRelay({ limits: { ...roomy, GRACE_MS, PENDING_MS: 60_000 } });

  it('closes pairs and pending Clients with 1012 and forgets the Host', async () => {
    const host = await connectHost(relay);
    const pair = await connectPair(relay, host);
    const { client: pending } = await connectPending(relay, host);
    const lostAt = performance.now();
    host.control.terminate();
    const late = await connectClient(relay, host.serverId);
    await expectClosed(pair.client, 1012);
    expect(performance.now() - lostAt).toBeGreaterThanOrEqual(GRACE_MS - 50);
    await expectClosed(pair.data, 1012);
    await expectClosed(pending, 1012);
    await expectClosed(late, 1012);
    expect((await refusal(relay, clientQuery(host.serverId))).code).toBe(4008);
  });

  it('is cancelled by the next control', async () => {
    const host = await connectHost(relay);
    const pair = await connectPair(relay, host);
    host.control.terminate();
    await host.control.closed();
    const next = newHost(relay, { identity: host.identity });
    expect((await next.next('sync')).connectionIds).toEqual([pair.connectionId]);
    await delay(GRACE_MS + 700);
    await expectFlows(pair);
    await expectLive(relay, next);
  });

  it('comes again in full after a second loss', async () => {
    const host = await connectHost(relay);
    const pair = await connectPair(relay, host);
    host.control.terminate();
    await host.control.closed();
    const again = await connectHost(relay, { identity: host.identity });
    const lostAt = performance.now();
    again.control.terminate();
    await expectClosed(pair.client, 1012);
    expect(performance.now() - lostAt).toBeGreaterThanOrEqual(GRACE_MS - 50);
  });
});

describe('MAX_HOSTS', () => {
  it('refuses a new serverId beyond it with 4029, never a known one', async () => {
    const relay = await ownRelay({ limits: { ...roomy, MAX_HOSTS: 2, GRACE_MS: 1000 } });
    const first = await connectHost(relay);
    const second = await connectHost(relay);
    const third = makeIdentity();
    const control = (): string => signedQuery({ identity: third, role: 'host-control' });
    expect((await refusal(relay, control())).code).toBe(4029);
    await expectLive(relay, first);

    const renewed = await connectHost(relay, { identity: first.identity });
    await expectClosed(first.control, 4001);

    // In grace a Host still holds its place, and may come back to it.
    renewed.control.terminate();
    await renewed.control.closed();
    expect((await refusal(relay, control())).code).toBe(4029);
    const back = await connectHost(relay, { identity: first.identity });
    await expectLive(relay, back);

    second.control.terminate();
    await eventually(() => connectHost(relay, { identity: third }), { everyMs: 200 });
  });
});
