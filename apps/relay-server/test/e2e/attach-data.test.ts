import { makeIdentity, signedQuery } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { roomy, useRelay } from './support/relay.ts';
import {
  attachData,
  connectHost,
  connectPair,
  connectPending,
  expectClosed,
  expectFlows,
  expectLive,
  refusal,
} from './support/sockets.ts';

// Layer 1 §5: host-data names a pending connectionId of its own Host, else 4002.

const relay = useRelay({ limits: roomy });
const nobody = 'AAAAAAAAAAAAAAAAAAAAAA';

describe('host-data', () => {
  it('makes a pair with the Client it names, and no other', async () => {
    const host = await connectHost(relay);
    const clients = [];
    for (let i = 0; i < 5; i++) clients.push(await connectPending(relay, host));
    const backwards = clients.toReversed();
    const pairs = [];
    for (const { client, connectionId } of backwards) {
      pairs.push({ client, data: await attachData(host, connectionId) });
    }
    for (const pair of pairs) await expectFlows(pair);
    await Promise.all(pairs.map((pair, i) => pair.client.send(`for ${i}`)));
    for (const [i, { data }] of pairs.entries()) expect(await data.text()).toBe(`for ${i}`);
  });

  it('for an unknown connectionId is 4002', async () => {
    const host = await connectHost(relay);
    const query = signedQuery({ identity: host.identity, role: 'host-data', connectionId: nobody });
    expect((await refusal(relay, query)).code).toBe(4002);
    await expectLive(relay, host);
  });

  it('of an unknown Host is 4002', async () => {
    const query = signedQuery({ identity: makeIdentity(), role: 'host-data', connectionId: nobody });
    expect((await refusal(relay, query)).code).toBe(4002);
  });

  it('for a connectionId that is attached is 4002, and the pair goes on', async () => {
    const host = await connectHost(relay);
    const pair = await connectPair(relay, host);
    const { connectionId } = pair;
    const query = signedQuery({ identity: host.identity, role: 'host-data', connectionId });
    expect((await refusal(relay, query)).code).toBe(4002);
    await expectFlows(pair);
    await expectLive(relay, host);
  });

  it('for a pending connectionId of another Host is 4002, and the Client waits on', async () => {
    const [host, thief] = [await connectHost(relay), await connectHost(relay)];
    const { client, connectionId } = await connectPending(relay, host);
    const query = signedQuery({ identity: thief.identity, role: 'host-data', connectionId });
    expect((await refusal(relay, query)).code).toBe(4002);
    await expectFlows({ client, data: await attachData(host, connectionId) });
  });

  it('for a Client that has left is 4002', async () => {
    const host = await connectHost(relay);
    const { client, connectionId } = await connectPending(relay, host);
    client.terminate();
    expect(await host.nextId('disconnected')).toBe(connectionId);
    const query = signedQuery({ identity: host.identity, role: 'host-data', connectionId });
    expect((await refusal(relay, query)).code).toBe(4002);
  });

  it('for a connectionId whose pair is over is 4002', async () => {
    const host = await connectHost(relay);
    const { client, data, connectionId } = await connectPair(relay, host);
    data.close();
    await expectClosed(client, 1012);
    expect(await host.nextId('disconnected')).toBe(connectionId);
    const query = signedQuery({ identity: host.identity, role: 'host-data', connectionId });
    expect((await refusal(relay, query)).code).toBe(4002);
  });

  it('that comes twice at once makes one pair and one 4002', async () => {
    const host = await connectHost(relay);
    for (let round = 0; round < 10; round++) {
      const { client, connectionId } = await connectPending(relay, host);
      const both = await Promise.all([attachData(host, connectionId), attachData(host, connectionId)]);
      const loser = await Promise.race(both.map(async (data) => ({ data, info: await data.closed() })));
      expect(loser.info.code).toBe(4002);
      const winner = both.find((data) => data !== loser.data);
      if (winner === undefined) throw new Error('no winner');
      await expectFlows({ client, data: winner });
    }
  });

  it('that races the leaving Client ends as a pair that closes or as 4002, never as an orphan', async () => {
    const host = await connectHost(relay);
    for (let round = 0; round < 20; round++) {
      const { client, connectionId } = await connectPending(relay, host);
      const attaching = attachData(host, connectionId);
      if (round % 2 === 0) client.close();
      else client.terminate();
      const { code } = await (await attaching).closed();
      expect([1000, 1012, 4002]).toContain(code);
      expect(await host.nextId('disconnected')).toBe(connectionId);
    }
    await expectLive(relay, host);
  });

  it('that races a replacing control never ends up with the wrong Client', async () => {
    const identity = makeIdentity();
    for (let round = 0; round < 10; round++) {
      const host = await connectHost(relay, { identity });
      const { client, connectionId } = await connectPending(relay, host);
      const [data, next] = await Promise.all([
        attachData(host, connectionId),
        connectHost(relay, { identity }),
      ]);
      expect([4001, 4002]).toContain((await data.closed()).code);
      await expectClosed(client, 4001);
      await expectFlows(await connectPair(relay, next));
    }
  });
});
