import { clientQuery, delay, eventually, makeIdentity, signedQuery } from '@openchambery/testkit';
import type { PeerOptions, RelayProcess } from '@openchambery/testkit';
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
  refusal,
} from './support/sockets.ts';

// Layer 1 §5: a Client comes, waits, and is taken; and every limit on that.

const from = (ip: string): PeerOptions => ({ headers: { 'X-Forwarded-For': ip } });

async function codeOf(relay: RelayProcess, serverId: string, ip: string): Promise<number> {
  return (await refusal(relay, clientQuery(serverId), from(ip))).code;
}

describe('a Client', () => {
  const relay = useRelay({ limits: roomy });

  it('of an unknown Host is closed with 4008', async () => {
    const { reason } = await refusal(relay, clientQuery(makeIdentity().serverId));
    await expectClosed(await connectClient(relay, makeIdentity().serverId), 4008);
    expect(reason).not.toBe('');
  });

  it('may send before the Host attaches: delivered first, in order, as sent', async () => {
    const host = await connectHost(relay);
    const { client, connectionId } = await connectPending(relay, host);
    const sent = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? `text ${i}` : Buffer.alloc(i * 500, i)));
    for (const data of sent) void client.send(data);
    await client.roundTrip();
    const data = await attachData(host, connectionId);
    void client.send('after');
    for (const expected of sent) {
      const message = await data.message();
      expect(message.isBinary).toBe(typeof expected !== 'string');
      expect(message.data.equals(Buffer.from(expected))).toBe(true);
    }
    expect(await data.text()).toBe('after');
  });

  it('that sends and leaves before the Host attaches is gone', async () => {
    const host = await connectHost(relay);
    const { client, connectionId } = await connectPending(relay, host);
    await client.send('too early');
    client.close();
    expect(await host.nextId('disconnected')).toBe(connectionId);
    const attach = signedQuery({ identity: host.identity, role: 'host-data', connectionId });
    expect((await refusal(relay, attach)).code).toBe(4002);
  });

  it('may be closed by a frame fault while it waits', async () => {
    const host = await connectHost(relay);
    const { client, connectionId } = await connectPending(relay, host);
    client.socket.send(Buffer.alloc(131_073));
    await expectClosed(client, 1009);
    expect(await host.nextId('disconnected')).toBe(connectionId);
  });
});

describe('a Client with more to say than the relay keeps', () => {
  const limits = { ...roomy, MAX_QUEUED_BYTES_PER_CONNECTION: 262_144 };
  const relay = useRelay({ limits });

  it('is held back, not closed, and loses nothing', { timeout: 40_000 }, async () => {
    const host = await connectHost(relay);
    const { client, connectionId } = await connectPending(relay, host);
    const count = 512;
    const chunkBytes = 65_536;
    let taken = 0;
    for (let i = 0; i < count; i++) {
      void client.send(Buffer.alloc(chunkBytes, i)).then(() => (taken += 1));
    }
    // The pong is behind the frames, so it cannot come while the relay does not read on.
    await expect(client.roundTrip(1500)).rejects.toThrow('nothing that matches');
    expect(taken).toBeLessThan(count);
    const data = await attachData(host, connectionId);
    for (let i = 0; i < count; i++) {
      const message = await data.message();
      expect(message.data.length).toBe(chunkBytes);
      expect(message.data[0]).toBe(i & 255);
    }
    await expectFlows({ client, data });
  });
});

describe('PENDING_MS', () => {
  const PENDING_MS = 1000;
  const relay = useRelay({ limits: { ...roomy, PENDING_MS } });

  it('closes a Client that no data came for with 4008, and tells the Host', async () => {
    const host = await connectHost(relay);
    const startedAt = performance.now();
    const { client, connectionId } = await connectPending(relay, host);
    await expectClosed(client, 4008);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(PENDING_MS - 50);
    expect(await host.nextId('disconnected')).toBe(connectionId);
    const attach = signedQuery({ identity: host.identity, role: 'host-data', connectionId });
    expect((await refusal(relay, attach)).code).toBe(4002);
  });

  it('is over once the data has come', async () => {
    const host = await connectHost(relay);
    const pair = await connectPair(relay, host);
    await delay(PENDING_MS + 500);
    await expectFlows(pair);
  });
});

describe('MAX_CLIENTS_PER_HOST and MAX_CLIENTS_PER_IP', () => {
  it('close one more with 4029, until one leaves', async () => {
    const relay = await ownRelay({
      limits: { ...roomy, MAX_CLIENTS_PER_HOST: 3, MAX_CLIENTS_PER_IP: 2 },
      args: ['--trust-proxy'],
    });
    const host = await connectHost(relay);
    const other = await connectHost(relay);
    const first = await connectPair(relay, host, from('10.0.0.1'));
    const second = await connectPending(relay, host, from('10.0.0.1'));
    const perIp = await refusal(relay, clientQuery(host.serverId), from('10.0.0.1'));
    expect(perIp.code).toBe(4029);
    expect(await codeOf(relay, other.serverId, '10.0.0.1')).toBe(4029);

    await connectPending(relay, host, from('10.0.0.2'));
    const perHost = await refusal(relay, clientQuery(host.serverId), from('10.0.0.3'));
    expect(perHost.code).toBe(4029);
    expect(perHost.reason).not.toBe(perIp.reason);
    await connectPending(relay, other, from('10.0.0.3'));

    second.client.close();
    expect(await host.nextId('disconnected')).toBe(second.connectionId);
    await connectPending(relay, host, from('10.0.0.1'));
    await expectFlows(first);
  });
});

describe('MAX_CONNECTIONS', () => {
  it('closes one more with 1013, whoever asks, until one leaves', async () => {
    const relay = await ownRelay({
      limits: { ...roomy, MAX_CONNECTIONS: 4, MAX_PENDING_CLIENTS: 4, MAX_CLIENTS_PER_HOST: 4 },
      args: ['--trust-proxy'],
    });
    const host = await connectHost(relay);
    const other = await connectHost(relay);
    const pairs = [];
    for (let i = 0; i < 3; i++) pairs.push(await connectPair(relay, host, from(`10.0.0.${i}`)));
    const last = await connectPending(relay, host, from('10.0.0.9'));
    expect(await codeOf(relay, other.serverId, '10.0.1.1')).toBe(1013);
    last.client.close();
    await host.nextId('disconnected');
    await connectPending(relay, other, from('10.0.1.1'));
  });
});

describe('MAX_PENDING_CLIENTS', () => {
  it('closes one more with 1013, until one is taken', async () => {
    const relay = await ownRelay({ limits: { ...roomy, MAX_PENDING_CLIENTS: 4 }, args: ['--trust-proxy'] });
    const hosts = [await connectHost(relay), await connectHost(relay), await connectHost(relay)];
    const [one, two, three] = hosts;
    if (one === undefined || two === undefined || three === undefined) throw new Error('three hosts');
    const first = await connectPending(relay, one, from('10.0.0.1'));
    await connectPending(relay, one, from('10.0.0.2'));
    await connectPending(relay, two, from('10.0.0.3'));
    await connectPending(relay, two, from('10.0.0.4'));
    expect(await codeOf(relay, three.serverId, '10.0.0.5')).toBe(1013);
    const data = await attachData(one, first.connectionId);
    await connectPending(relay, three, from('10.0.0.5'));
    await expectFlows({ client: first.client, data });
  });

  it('gives one IP half of it, and 4029 beyond', async () => {
    const relay = await ownRelay({ limits: { ...roomy, MAX_PENDING_CLIENTS: 5 }, args: ['--trust-proxy'] });
    const hosts = [];
    for (let i = 0; i < 4; i++) hosts.push(await connectHost(relay));
    const [a, b, c, d] = hosts;
    if (!a || !b || !c || !d) throw new Error('four hosts');
    await connectPending(relay, a, from('10.0.0.1'));
    await connectPending(relay, b, from('10.0.0.1'));
    expect(await codeOf(relay, c.serverId, '10.0.0.1')).toBe(4029);
    await connectPending(relay, c, from('10.0.0.2'));
    await connectPending(relay, d, from('10.0.0.3'));
  });

  it('gives one Host half of it, and 4029 beyond', async () => {
    const relay = await ownRelay({ limits: { ...roomy, MAX_PENDING_CLIENTS: 5 }, args: ['--trust-proxy'] });
    const host = await connectHost(relay);
    const other = await connectHost(relay);
    await connectPending(relay, host, from('10.0.0.1'));
    await connectPending(relay, host, from('10.0.0.2'));
    expect(await codeOf(relay, host.serverId, '10.0.0.3')).toBe(4029);
    await connectPending(relay, other, from('10.0.0.3'));
    await connectPending(relay, other, from('10.0.0.4'));
  });

  it.each([1, 2, 3])('of %d still lets one Client in', async (limit) => {
    const relay = await ownRelay({
      limits: { ...roomy, MAX_PENDING_CLIENTS: limit },
      args: ['--trust-proxy'],
    });
    const host = await connectHost(relay);
    const { client, connectionId } = await connectPending(relay, host, from('10.0.0.1'));
    const code = await codeOf(relay, host.serverId, '10.0.0.1');
    // With room for one in all, both "the relay is full" and "your share is used up" are true.
    expect(limit === 1 ? [1013, 4029] : [4029]).toContain(code);
    await expectFlows({ client, data: await attachData(host, connectionId) });
    await expectLive(relay, host, from('10.0.0.1'));
  });

  it('is given back by Clients that leave or time out', async () => {
    const limits = { ...roomy, MAX_PENDING_CLIENTS: 2, PENDING_MS: 1000 };
    const relay = await ownRelay({ limits, args: ['--trust-proxy'] });
    const host = await connectHost(relay);
    for (let round = 0; round < 3; round++) {
      const { client, connectionId } = await connectPending(relay, host, from('10.0.0.1'));
      if (round === 0) client.terminate();
      if (round === 1) client.close();
      expect(await host.nextId('disconnected')).toBe(connectionId);
    }
    const { client } = await eventually(() => connectPending(relay, host, from('10.0.0.1')));
    await client.roundTrip();
  });
});
