import { clientQuery, eventually, makeIdentity } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { startFlow, untilStill } from './support/flow.ts';
import { ownRelay, roomy } from './support/relay.ts';
import { connectClient, connectHost, connectPair, expectLive, refusal } from './support/sockets.ts';

// Layer 1 §5: nothing but control messages counts in the control's queue. That the queue is bounded cannot be seen from
// here: the kernel takes megabytes of small frames before anything waits in the relay.

describe('data that waits on pairs', () => {
  it('never counts against the control', { timeout: 60_000 }, async () => {
    const limits = { ...roomy, MAX_CONTROL_QUEUED_BYTES: 2000, MAX_CONTROL_QUEUE_ENTRIES: 4 };
    const relay = await ownRelay({ limits });
    const host = await connectHost(relay);
    for (let i = 0; i < 4; i++) {
      const { client, data } = await connectPair(relay, host);
      data.pause();
      const { sent } = startFlow(client, { count: 1000, bytes: 65_536 });
      await untilStill(sent, 400);
    }
    for (let i = 0; i < 10; i++) await expectLive(relay, host);
    expect(host.control.socket.readyState).toBe(1);
  });

  it('of a pending Client does not either', { timeout: 40_000 }, async () => {
    const relay = await ownRelay({ limits: { ...roomy, MAX_CONTROL_QUEUED_BYTES: 2000 } });
    const host = await connectHost(relay);
    const client = await connectClient(relay, host.serverId);
    await host.nextId('connected');
    const { sent } = startFlow(client, { count: 1000, bytes: 65_536 });
    await untilStill(sent, 400);
    await expectLive(relay, host);
    expect((await refusal(relay, clientQuery(makeIdentity().serverId))).code).toBe(4008);
    await eventually(() => expect(host.control.socket.readyState).toBe(1));
  });
});

describe('a burst of control messages to a Host that reads', () => {
  it('is no reason to close it', { timeout: 40_000 }, async () => {
    const relay = await ownRelay({ limits: roomy });
    const host = await connectHost(relay);
    const clients = await Promise.all(Array.from({ length: 200 }, () => connectClient(relay, host.serverId)));
    const ids = new Set<string>();
    for (let i = 0; i < clients.length; i++) ids.add(await host.nextId('connected'));
    expect(ids.size).toBe(200);
    for (const client of clients) client.terminate();
    for (let i = 0; i < clients.length; i++) ids.delete(await host.nextId('disconnected'));
    expect(ids.size).toBe(0);
    await expectLive(relay, host);
  });
});
