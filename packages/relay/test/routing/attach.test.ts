import { describe, expect, it } from 'vitest';
import type { RelayLimits } from '../../src/limits.ts';
import { QuietWorld, refusalOf } from '../model/quiet-world.ts';

/** Addresses that never meet a limit per IP. */
function ip(number: number): { ip: string } {
  return { ip: `10.1.${number >> 8}.${number & 255}` };
}

async function open(limits: Partial<RelayLimits>): Promise<QuietWorld> {
  return QuietWorld.open(limits);
}

describe('attaching a Host', () => {
  it('takes MAX_HOSTS Hosts and refuses the next with 4029', async () => {
    const relay = await open({ maxHosts: 2 });
    expect(refusalOf(await relay.host(0))).toBeUndefined();
    expect(refusalOf(await relay.host(1))).toBeUndefined();
    expect(refusalOf(await relay.host(2))).toBe('4029 limit: MAX_HOSTS (2) reached');
  });

  it('takes a known Host again when MAX_HOSTS is reached, live or in grace', async () => {
    const relay = await open({ maxHosts: 1 });
    await relay.host(0);
    const second = await relay.host(0);
    expect(refusalOf(second)).toBeUndefined();
    second.peer.reset();
    await relay.rest();
    expect(refusalOf(await relay.host(0))).toBeUndefined();
  });

  it('refuses with 4029 when MAX_SOCKETS is reached, as deployed Hosts know that code', async () => {
    const relay = await open({ maxSockets: 1 });
    await relay.host(0);
    expect(refusalOf(await relay.host(1))).toBe('4029 limit: MAX_SOCKETS (1) reached');
  });
});

describe('attaching a Client', () => {
  it('refuses with 4008 when there is no such Host', async () => {
    const relay = await open({});
    expect(refusalOf(await relay.client(0))).toBe('4008 this Host is not connected to the relay');
  });

  it('refuses with 1013 beyond MAX_SOCKETS, until one is gone', async () => {
    const relay = await open({ maxSockets: 3 });
    await relay.host(0);
    const first = await relay.client(0, ip(1));
    expect(refusalOf(await relay.client(0, ip(2)))).toBeUndefined();
    expect(refusalOf(await relay.client(0, ip(3)))).toBe('1013 limit: MAX_SOCKETS (3) reached');
    first.peer.reset();
    await relay.rest();
    expect(refusalOf(await relay.client(0, ip(3)))).toBeUndefined();
  });

  it('refuses with 1013 beyond MAX_CONNECTIONS, until one is gone', async () => {
    const relay = await open({ maxConnections: 2, maxPendingClients: 2, maxClientsPerHost: 2 });
    await relay.host(0);
    const first = await relay.client(0, ip(1));
    await relay.data(0, first);
    await relay.data(0, await relay.client(0, ip(2)));
    expect(refusalOf(await relay.client(0, ip(3)))).toBe('1013 limit: MAX_CONNECTIONS (2) reached');
    first.peer.reset();
    await relay.rest();
    expect(refusalOf(await relay.client(0, ip(3)))).toBeUndefined();
  });

  it('refuses with 1013 beyond MAX_PENDING_CLIENTS; pairs are not counted', async () => {
    const relay = await open({ maxPendingClients: 4 });
    for (const host of [0, 1, 2]) await relay.host(host);
    const clients = [];
    for (const host of [0, 0, 1, 1]) clients.push(await relay.client(host, ip(clients.length)));
    expect(clients.map(refusalOf)).toEqual([undefined, undefined, undefined, undefined]);
    expect(refusalOf(await relay.client(2, ip(9)))).toBe('1013 limit: MAX_PENDING_CLIENTS (4) reached');
    await relay.data(0, clients[0] as (typeof clients)[0]);
    expect(refusalOf(await relay.client(2, ip(9)))).toBeUndefined();
  });

  it('refuses with 4029 beyond MAX_CLIENTS_PER_HOST, pending and paired together', async () => {
    const relay = await open({ maxClientsPerHost: 2 });
    for (const host of [0, 1]) await relay.host(host);
    await relay.data(0, await relay.client(0, ip(1)));
    expect(refusalOf(await relay.client(0, ip(2)))).toBeUndefined();
    expect(refusalOf(await relay.client(0, ip(3)))).toBe('4029 limit: MAX_CLIENTS_PER_HOST (2) reached');
    expect(refusalOf(await relay.client(1, ip(3)))).toBeUndefined();
  });

  it('refuses with 4029 beyond MAX_CLIENTS_PER_IP, over all Hosts', async () => {
    const relay = await open({ maxClientsPerIp: 2 });
    for (const host of [0, 1]) await relay.host(host);
    await relay.data(0, await relay.client(0, ip(1)));
    expect(refusalOf(await relay.client(1, ip(1)))).toBeUndefined();
    expect(refusalOf(await relay.client(1, ip(1)))).toBe('4029 limit: MAX_CLIENTS_PER_IP (2) reached');
    expect(refusalOf(await relay.client(1, ip(2)))).toBeUndefined();
  });

  it('counts one IPv6 /64 as one IP', async () => {
    const relay = await open({ maxClientsPerIp: 1 });
    await relay.host(0);
    await relay.client(0, { ip: '2001:db8:0:1::1' });
    expect(refusalOf(await relay.client(0, { ip: '2001:db8:0:1:ffff::2' }))).toContain('MAX_CLIENTS_PER_IP');
    expect(refusalOf(await relay.client(0, { ip: '2001:db8:0:2::1' }))).toBeUndefined();
  });

  it.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [5, 2],
    [6, 3],
  ])('lets one Host and one IP have at most half of %i pending places: %i', async (places, half) => {
    const limits = { maxPendingClients: places };
    const byHost = await open(limits);
    const byIp = await open(limits);
    for (let host = 0; host <= half; host++) await byIp.host(host);
    await byHost.host(0);
    for (let taken = 0; taken < half; taken++) {
      expect(refusalOf(await byHost.client(0, ip(taken)))).toBeUndefined();
      expect(refusalOf(await byIp.client(taken, ip(1)))).toBeUndefined();
    }
    const [hostRefusal, ipRefusal] = [await byHost.client(0, ip(99)), await byIp.client(half, ip(1))].map(
      refusalOf,
    );
    if (half === places) {
      // The relay as a whole is full: that passes, and comes first.
      expect([hostRefusal, ipRefusal].every((refusal) => refusal?.startsWith('1013'))).toBe(true);
      return;
    }
    expect(hostRefusal).toBe(`4029 limit: half of MAX_PENDING_CLIENTS for one Host (${half}) reached`);
    expect(ipRefusal).toBe(`4029 limit: half of MAX_PENDING_CLIENTS for one IP (${half}) reached`);
    expect(refusalOf(await byIp.client(half, ip(2)))).toBeUndefined();
  });

  it('tries ID_ATTEMPTS times for an id that is free, then refuses with 4029', async () => {
    const relay = await open({ idAttempts: 3 });
    await relay.host(0);
    await relay.client(0, ip(1));
    relay.world.ids.repeat(2);
    expect(refusalOf(await relay.client(0, ip(2)))).toBeUndefined();
    relay.world.ids.repeat(3);
    expect(refusalOf(await relay.client(0, ip(3)))).toBe('4029 limit: ID_ATTEMPTS (3) reached');
  });

  it('may give two Hosts the same id, and keeps them apart', async () => {
    const relay = await open({});
    for (const host of [0, 1]) await relay.host(host);
    const first = await relay.client(0);
    relay.world.ids.repeat(1);
    const second = await relay.client(1);
    expect(second.party.connectionId).toBe(first.party.connectionId);
    const data = await relay.data(1, second);
    second.peer.sendMessage(20);
    first.peer.sendMessage(20);
    await relay.rest();
    expect(data.peer.log.messages.map(({ body }) => body.trim())).toEqual([
      'client 3#0 abcdefghij'.slice(0, 20),
    ]);
  });
});

describe('attaching host-data', () => {
  it('refuses with 4002 what no Client waits for', async () => {
    const relay = await open({});
    for (const host of [0, 1]) await relay.host(host);
    const client = await relay.client(0);
    const unknown = '4002 no Client waits under this connectionId';
    const connectionId = Buffer.alloc(16, 9).toString('base64url');
    expect(refusalOf(await relay.data(0, client, { connectionId }))).toBe(unknown);
    expect(refusalOf(await relay.data(1, client))).toBe(unknown);
    expect(refusalOf(await relay.data(2, client))).toBe(unknown);
    client.peer.reset();
    await relay.rest();
    expect(refusalOf(await relay.data(0, client))).toBe(unknown);
  });

  it('refuses a second leg with 4002 and leaves the pair alone', async () => {
    const relay = await open({});
    await relay.host(0);
    const client = await relay.client(0);
    const data = await relay.data(0, client);
    expect(refusalOf(await relay.data(0, client))).toBe('4002 this connectionId is already attached');
    client.peer.sendMessage(20);
    await relay.rest();
    expect(data.peer.log.messages).toHaveLength(1);
  });

  it('refuses with 1013 when MAX_SOCKETS is reached', async () => {
    const relay = await open({ maxSockets: 2 });
    await relay.host(0);
    const client = await relay.client(0);
    expect(refusalOf(await relay.data(0, client))).toBe('1013 limit: MAX_SOCKETS (2) reached');
  });
});
