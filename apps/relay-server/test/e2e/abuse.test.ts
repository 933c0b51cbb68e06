import { clientQuery, eventually, makeIdentity, signedQuery } from '@openchambery/testkit';
import type { Peer, PeerOptions, RelayProcess, TestHost, TestPair } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { expectFlow, fillPending, medianMs, startFlow, untilStill } from './support/flow.ts';
import type { Flow } from './support/flow.ts';
import { keepAliveAgent, request } from './support/http.ts';
import { ownRelay, roomy } from './support/relay.ts';
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

// "What must not be possible" of the relay's issue, one by one. 6 is in shutdown.test.ts, 7 in the model-based test of
// packages/relay and as races in attach-data.test.ts, 8 in secrets.test.ts.

const from = (ip: string): PeerOptions => ({ headers: { 'X-Forwarded-For': ip } });
const connectionId = 'AAAAAAAAAAAAAAAAAAAAAA';

describe('1. forged upgrades in the name of a victim', () => {
  it('do not lock its Host out of reconnecting', { timeout: 40_000 }, async () => {
    // The limits as they are by default.
    const relay = await ownRelay({ args: ['--trust-proxy'] });
    const victim = await connectHost(relay, from('203.0.113.1'));
    const pair = await connectPair(relay, victim, from('203.0.113.2'));
    const { identity } = victim;
    for (let i = 0; i < 60; i++) {
      const role = i % 2 === 0 ? 'host-control' : 'host-data';
      const id = role === 'host-data' ? { connectionId } : {};
      const query = signedQuery({ identity, role, signedText: 'forged', ...id });
      expect((await refusal(relay, query, from(`198.51.100.${i}`))).code).toBe(4010);
    }
    await expectFlows(pair);
    victim.control.terminate();
    const back = newHost(relay, { identity, ...from('203.0.113.1') });
    expect((await back.next('sync')).connectionIds).toEqual([pair.connectionId]);
    await expectLive(relay, back, from('203.0.113.3'));
    await expectFlows(pair);
  });

  it('from the same IP use up that IP, and no other', async () => {
    const relay = await ownRelay({ args: ['--trust-proxy'] });
    const identity = makeIdentity();
    const codes: number[] = [];
    for (let i = 0; i < 32; i++) {
      const query = signedQuery({ identity, role: 'host-control', signedText: 'forged' });
      codes.push((await refusal(relay, query, from('198.51.100.1'))).code);
    }
    expect(codes.slice(0, 30).every((code) => code === 4010)).toBe(true);
    expect(codes.slice(30)).toEqual([4029, 4029]);
    await connectHost(relay, { identity, ...from('203.0.113.1') });
  });
});

describe('2. one IP, or one IPv6 /64, that fills a table', () => {
  /** Addresses of one attacker: one IPv4, or as many as it likes of its /64. */
  const attackers: readonly [string, (i: number) => string][] = [
    ['an IPv4 address', () => '198.51.100.1'],
    ['a /64', (i) => `2001:db8:bad:bad:${i.toString(16)}::${(i * 7).toString(16)}`],
  ];

  it.each(attackers)('does not keep others from pending: %s', async (_name, address) => {
    const relay = await ownRelay({ args: ['--trust-proxy'] });
    const hosts = [];
    for (let i = 0; i < 3; i++) hosts.push(await connectHost(relay, from(`203.0.113.${i}`)));
    const codes: number[] = [];
    for (let i = 0; i < 40; i++) {
      const host = hosts[i % 2];
      if (host === undefined) throw new Error('a Host');
      const client = await connectClient(relay, host.serverId, from(address(i)));
      if (
        await client.roundTrip().then(
          () => false,
          () => true,
        )
      )
        codes.push((await client.closed()).code);
    }
    // Half of the 30 slots is all that it gets.
    expect(codes).toEqual(Array.from({ length: 25 }, () => 4029));
    const third = hosts[2];
    if (third === undefined) throw new Error('a Host');
    for (let i = 0; i < 10; i++) {
      const { client, connectionId: id } = await connectPending(relay, third, from(`192.0.2.${i}`));
      if (i % 3 === 0) await expectFlows({ client, data: await attachData(third, id) });
    }
  });

  it.each(attackers)(
    'does not keep others from attaching: %s',
    { timeout: 40_000 },
    async (_name, address) => {
      const limits = { ...roomy, MAX_REPLAY_ENTRIES: 50, MAX_ADMISSION_ENTRIES: 20 };
      const relay = await ownRelay({ limits, args: ['--trust-proxy'] });
      const used = signedQuery({ identity: makeIdentity(), role: 'host-data', connectionId });
      expect((await refusal(relay, used, from('203.0.113.1'))).code).toBe(4002);
      for (let i = 0; i < 150; i++) {
        const query = signedQuery({ identity: makeIdentity(), role: 'host-data', connectionId });
        expect((await refusal(relay, query, from(address(i)))).code).toBe(4002);
      }
      expect((await refusal(relay, used, from('203.0.113.2'))).code).toBe(4010);
      const host = await connectHost(relay, from('203.0.113.3'));
      await expectFlows(await connectPair(relay, host, from('203.0.113.4')));
    },
  );

  it.each(attackers)('does not keep others from being admitted: %s', async (_name, address) => {
    const limits = { ...roomy, MAX_ADMISSIONS_PER_IP: 20, MAX_ADMISSION_ENTRIES: 4 };
    const relay = await ownRelay({ limits, args: ['--trust-proxy'] });
    const query = clientQuery(makeIdentity().serverId);
    for (let i = 0; i < 30; i++) {
      const { code } = await refusal(relay, query, from(address(i)));
      expect(code).toBe(i < 20 ? 4008 : 4029);
    }
    for (let i = 0; i < 10; i++) {
      expect((await refusal(relay, query, from(`203.0.113.${i}`))).code).toBe(4008);
    }
    await expectLive(relay, await connectHost(relay, from('203.0.113.99')), from('203.0.113.98'));
  });
});

describe('3. thirty stalled pairs under one self-made Host', () => {
  it('get no unrelated pair closed, refused or slowed', { timeout: 90_000 }, async () => {
    const relay = await ownRelay({
      limits: { MAX_CLIENTS_PER_IP: 40, MAX_ADMISSIONS_PER_IP: 1000 },
    });
    const [bad, good] = ['127.0.9.1', '127.0.9.2'];
    const attacker = await connectHost(relay, { localAddress: bad });
    const host = await connectHost(relay, { localAddress: good });
    const pair = await connectPair(relay, host, { localAddress: good });
    const flows: Flow[] = [];
    for (let i = 0; i < 30; i++) {
      const { client, data } = await connectPair(relay, attacker, { localAddress: bad });
      data.pause();
      flows.push(startFlow(client, { count: 1000, bytes: 65_536 }));
    }
    await untilStill(() => flows.reduce((sum, flow) => sum + flow.sent(), 0));

    expect(await medianMs(30, () => expectFlows(pair))).toBeLessThan(150);
    const bulk = { count: 320, bytes: 65_536 };
    startFlow(pair.client, bulk);
    await expectFlow(pair.data, bulk);
    startFlow(pair.data, bulk);
    await expectFlow(pair.client, bulk);
    await expectFlows(await connectPair(relay, host, { localAddress: good }));
    await expectLive(relay, host, { localAddress: good });
  });
});

describe('4. pairs that end while their source is paused', () => {
  const MiB = 1024 * 1024;
  const limits = {
    ...roomy,
    // One Host may hold a ninth of it: half a MiB.
    MAX_GLOBAL_QUEUED_BYTES: 4.5 * MiB,
    MAX_QUEUED_BYTES_PER_CONNECTION: 4 * MiB,
    MAX_CONNECTIONS: 8,
    MAX_PENDING_CLIENTS: 8,
    MAX_CLIENTS_PER_HOST: 8,
    MAX_CLIENTS_PER_IP: 8,
    MAX_SOCKETS: 18,
    MAX_HOSTS: 2,
    GRACE_MS: 300,
    CLOSE_DEADLINE_MS: 500,
    // The end of a paused source shows when it is read again or, as here, when its stalled peer loses the pair.
    STALL_MS: 2500,
  };

  /** How much the relay keeps for a pending Client: here the global budget bounds it, so bytes left on it show. */
  async function pendingRoom(relay: RelayProcess, host: TestHost): Promise<number> {
    const { client, connectionId: id } = await connectPending(relay, host);
    const count = await fillPending(client);
    const data = await attachData(host, id);
    for (let i = 0; i < count; i++) await data.message();
    client.close();
    await data.closed();
    await host.nextId('disconnected');
    return count;
  }

  /** The room while nothing else goes on. */
  async function roomOfIdle(relay: RelayProcess): Promise<number> {
    const host = await connectHost(relay);
    const room = await pendingRoom(relay, host);
    await leave(relay, host);
    return room;
  }

  /** Takes the Host away and waits until its grace is over. */
  async function leave(relay: RelayProcess, host: TestHost): Promise<void> {
    host.control.terminate();
    await eventually(async () => {
      const { code } = await refusal(relay, clientQuery(host.serverId));
      expect(code).toBe(4008);
    });
  }

  async function expectRoom(relay: RelayProcess, room: number): Promise<void> {
    // One more or less: whether a message and its ping are read at once.
    await eventually(async () => expect(Math.abs((await roomOfIdle(relay)) - room)).toBeLessThan(3));
  }

  /** Ways for a pair to end. */
  const ends: readonly [string, (pair: TestPair) => void][] = [
    ['the Client is cut', ({ client }) => client.terminate()],
    ['the data is cut', ({ data }) => data.terminate()],
    ['the Client closes', ({ client }) => client.close(1000)],
    ['both are cut', ({ client, data }) => [client, data].forEach((peer) => peer.terminate())],
  ];

  it('leave nothing on any counter', { timeout: 120_000 }, async () => {
    const relay = await ownRelay({ limits });
    const room = await roomOfIdle(relay);
    expect(room).toBeGreaterThan(5);
    expect(room).toBeLessThan(1000);
    for (const [, end] of ends) {
      const host = await connectHost(relay);
      const waiting: Peer[] = [];
      for (let i = 0; i < 2; i++) {
        const { client } = await connectPending(relay, host);
        void client.send(Buffer.alloc(100_000));
        await client.roundTrip();
        waiting.push(client);
      }
      const pairs: TestPair[] = [];
      for (let i = 0; i < 6; i++) pairs.push(await connectPair(relay, host));
      const flows = pairs.map(({ client, data }, i) => {
        const [fast, slow] = i % 2 === 0 ? [client, data] : [data, client];
        slow.pause();
        return startFlow(fast, { count: 1000, bytes: 65_536 });
      });
      await untilStill(() => flows.reduce((sum, flow) => sum + flow.sent(), 0));
      for (const pair of pairs) end(pair);
      for (const client of waiting) client.terminate();
      const gone = pairs.length + waiting.length;
      for (let i = 0; i < gone; i++) await host.nextId('disconnected', 15_000);
      for (const { client, data } of pairs) [client, data].forEach((peer) => peer.terminate());
      await leave(relay, host);
    }
    // The byte counters are where they were.
    await expectRoom(relay, room);

    // All slots are free: two Hosts, eight pairs on sixteen sockets, and not one more.
    const one = await connectHost(relay);
    const two = await connectHost(relay);
    const pairs: TestPair[] = [];
    for (let i = 0; i < 8; i++) pairs.push(await connectPair(relay, one));
    expect((await refusal(relay, clientQuery(two.serverId))).code).toBe(1013);
    const bulk = { count: 64, bytes: 65_536 };
    await Promise.all(
      pairs.flatMap(({ client, data }) => {
        startFlow(client, bulk);
        startFlow(data, bulk);
        return [expectFlow(data, bulk), expectFlow(client, bulk)];
      }),
    );
  });

  it('by a replacing control or the end of grace leave nothing either', { timeout: 90_000 }, async () => {
    const relay = await ownRelay({ limits });
    const identity = makeIdentity();
    const room = await roomOfIdle(relay);
    for (const how of ['replace', 'grace'] as const) {
      const host = await connectHost(relay, { identity });
      const { client: pending } = await connectPending(relay, host);
      await fillPending(pending);
      const pairs: TestPair[] = [];
      for (let i = 0; i < 6; i++) pairs.push(await connectPair(relay, host));
      const flows = pairs.map(({ client, data }) => {
        data.pause();
        return startFlow(client, { count: 1000, bytes: 65_536 });
      });
      await untilStill(() => flows.reduce((sum, flow) => sum + flow.sent(), 0));
      if (how === 'replace') await connectHost(relay, { identity });
      else host.control.terminate();
      const code = how === 'replace' ? 4001 : 1012;
      for (const { client } of pairs) await expectClosed(client, code);
      await expectClosed(pending, code);
      for (const { data } of pairs) data.terminate();
    }
    await expectRoom(relay, room);
    const host = await connectHost(relay);
    for (let i = 0; i < 8; i++) await expectFlows(await connectPair(relay, host));
  });
});

describe('5. a keep-alive connection of a proxy', () => {
  it('is not cut by the handshake timer', async () => {
    const relay = await ownRelay({ limits: { HANDSHAKE_MS: 300 } });
    const agent = keepAliveAgent();
    await request(relay, { path: '/readyz', agent });
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => {
        setTimeout(resolve, 450);
      });
      const answer = await request(relay, { path: '/readyz', agent });
      expect([answer.status, answer.reused]).toEqual([200, true]);
    }
  });
});
