import { residentBytes } from '@openchambery/testkit';
import type { TestHost, TestPair } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { expectFlow, fillPending, medianMs, startFlow, untilStill } from './support/flow.ts';
import { ownRelay, roomy, useRelay } from './support/relay.ts';
import {
  attachData,
  connectHost,
  connectPair,
  connectPending,
  expectFlows,
  expectLive,
} from './support/sockets.ts';

// Layer 1 §6: a reader that stops costs bounded memory, loses nothing, and is nobody else's trouble.

const MiB = 1024 * 1024;
const legs = ['client', 'host-data'] as const;

describe.each(legs)('a flood from the %s leg to a reader that stands still', (leg) => {
  it('is held back within the bound, and arrives whole once read', { timeout: 60_000 }, async () => {
    const relay = await ownRelay({ limits: roomy });
    const pair = await connectPair(relay, await connectHost(relay));
    const [from, to] = leg === 'client' ? [pair.client, pair.data] : [pair.data, pair.client];
    await expectFlows(pair);
    const before = residentBytes(relay.pid);

    to.pause();
    const flow = { count: 2560, bytes: 65_536 };
    const { sent, done } = startFlow(from, flow);
    const held = await untilStill(sent);
    // Kernel buffers of four sockets and the relay's own 2 MiB; the rest of the 160 MiB has not left.
    expect(held * flow.bytes).toBeLessThan(64 * MiB);
    expect(held * flow.bytes).toBeGreaterThan(MiB / 2);
    expect(residentBytes(relay.pid) - before).toBeLessThan(64 * MiB);

    to.resume();
    await expectFlow(to, flow);
    await done;
    await expectFlows(pair);
  });

  it('does not hold back the other direction', { timeout: 40_000 }, async () => {
    const relay = await ownRelay({ limits: roomy });
    const { client, data } = await connectPair(relay, await connectHost(relay));
    const [from, to] = leg === 'client' ? [client, data] : [data, client];
    to.pause();
    const flood = { count: 640, bytes: 65_536 };
    const { sent, done } = startFlow(from, flood);
    await untilStill(sent);
    const back = { count: 100, bytes: 10_000 };
    startFlow(to, back);
    await expectFlow(from, back);
    to.resume();
    await expectFlow(to, flood);
    await done;
  });
});

describe('queues of other sizes', () => {
  it('keep to MAX_QUEUED_BYTES_PER_CONNECTION of 128 KiB', { timeout: 40_000 }, async () => {
    const relay = await ownRelay({ limits: { ...roomy, MAX_QUEUED_BYTES_PER_CONNECTION: 131_072 } });
    const { client, data } = await connectPair(relay, await connectHost(relay));
    data.pause();
    const flow = { count: 4000, bytes: 10_000 };
    const { sent, done } = startFlow(client, flow);
    expect(await untilStill(sent)).toBeLessThan(flow.count);
    data.resume();
    await expectFlow(data, flow);
    await done;
  });
});

/** Pairs of one Host whose data sides do not read, each with a flood that stands still. */
async function stalledPairs(
  relay: Parameters<typeof connectPair>[0],
  host: TestHost,
  options: { readonly count: number; readonly localAddress: string },
): Promise<{ readonly pairs: TestPair[]; readonly sent: () => number; readonly done: Promise<void>[] }> {
  const pairs: TestPair[] = [];
  for (let i = 0; i < options.count; i++) {
    pairs.push(await connectPair(relay, host, { localAddress: options.localAddress }));
  }
  const flows = pairs.map(({ client, data }) => {
    data.pause();
    return startFlow(client, { count: 400, bytes: 65_536 });
  });
  const sent = (): number => flows.reduce((sum, flow) => sum + flow.sent(), 0);
  await untilStill(sent);
  return { pairs, sent, done: flows.map((flow) => flow.done) };
}

describe('stalled pairs of one Host that fill the global queue', () => {
  const limits = { ...roomy, MAX_GLOBAL_QUEUED_BYTES: 4 * MiB };
  const relay = useRelay({ limits });

  it('neither slow, close nor refuse the pairs of another', { timeout: 60_000 }, async () => {
    const bully = await connectHost(relay, { localAddress: '127.0.0.2' });
    const quiet = await connectHost(relay, { localAddress: '127.0.0.3' });
    const pair = await connectPair(relay, quiet, { localAddress: '127.0.0.3' });
    const { pairs, sent } = await stalledPairs(relay, bully, { count: 30, localAddress: '127.0.0.2' });
    expect(sent()).toBeLessThan(30 * 400);

    const latencyMs = await medianMs(40, () => expectFlows(pair));
    expect(latencyMs).toBeLessThan(150);
    const flow = { count: 512, bytes: 65_536 };
    const bulk = startFlow(pair.client, flow);
    await expectFlow(pair.data, flow);
    await bulk.done;
    const back = startFlow(pair.data, flow);
    await expectFlow(pair.client, flow);
    await back.done;

    await expectLive(relay, quiet);
    await expectFlows(await connectPair(relay, quiet, { localAddress: '127.0.0.3' }));
    // The stalled ones are not closed for it either.
    for (const { client } of pairs) expect(client.socket.readyState).toBe(1);
    await expectLive(relay, bully);
  });

  it('lose nothing once they read, and cost bounded memory', { timeout: 90_000 }, async () => {
    const own = await ownRelay({ limits });
    const host = await connectHost(own);
    await expectFlows(await connectPair(own, host));
    const before = residentBytes(own.pid);
    const { pairs, done } = await stalledPairs(own, host, { count: 12, localAddress: '127.0.0.1' });
    expect(residentBytes(own.pid) - before).toBeLessThan(80 * MiB);
    await Promise.all(
      pairs.map(({ data }) => {
        data.resume();
        return expectFlow(data, { count: 400, bytes: 65_536 });
      }),
    );
    await Promise.all(done);
    await Promise.all(pairs.map((pair) => expectFlows(pair)));
  });
});

describe('MAX_GLOBAL_QUEUED_BYTES', () => {
  const limits = {
    ...roomy,
    MAX_GLOBAL_QUEUED_BYTES: MiB,
    MAX_QUEUED_BYTES_PER_CONNECTION: 8 * MiB,
    PENDING_MS: 60_000,
  };

  it('bounds what is kept in all, and pauses the Host that holds most first', {
    timeout: 60_000,
  }, async () => {
    const relay = await ownRelay({ limits });
    const greedy = await connectHost(relay);
    const modest = await connectHost(relay);
    const rooms: number[] = [];
    for (let i = 0; i < 6; i++) rooms.push(await fillPending((await connectPending(relay, greedy)).client));
    const last = rooms.at(-1) ?? 0;
    const other = await connectPending(relay, modest);
    const room = await fillPending(other.client);
    // The one that holds most has no room left but for what is being read; the other has.
    expect(last).toBeLessThan(5);
    expect(room).toBeGreaterThan(last + 3);
    // At most one piece over the bound for each socket.
    const keptBytes = [...rooms, room].reduce((sum, count) => sum + count * 10_000, 0);
    expect(keptBytes).toBeLessThan(MiB + 7 * 80_000);
    const data = await attachData(modest, other.connectionId);
    for (let i = 0; i < room; i++) await data.message();
    await expectFlows({ client: other.client, data });
  });
});

describe('fairness', () => {
  const relay = useRelay({ limits: roomy });

  it('keeps a quiet pair quick while another floods', { timeout: 40_000 }, async () => {
    const host = await connectHost(relay);
    const quiet = await connectPair(relay, host);
    const busy = await connectPair(relay, host);
    const flow = startFlow(busy.client, { count: 1_000_000, bytes: 131_072 });
    // Throws away what arrives, as it comes.
    busy.data.socket.removeAllListeners('message');
    const latencyMs = await medianMs(100, () => expectFlows(quiet));
    expect(flow.sent()).toBeGreaterThan(100);
    expect(latencyMs).toBeLessThan(150);
  });
});
