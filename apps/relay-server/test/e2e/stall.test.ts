import { delay } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { expectFlow, startFlow, takeSlowly, untilStill } from './support/flow.ts';
import { halfRawPair } from './support/raw-pair.ts';
import { roomy, useRelay } from './support/relay.ts';
import { connectHost, connectPair, expectClosed, expectFlows, expectLive } from './support/sockets.ts';

// Layer 1 §6: a receiver that has taken no byte for STALL_MS while data waits for it loses its pair.

const STALL_MS = 2500;
const legs = ['client', 'host-data'] as const;

describe('a stalled receiver', () => {
  const relay = useRelay({ limits: { ...roomy, STALL_MS, CLOSE_DEADLINE_MS: 8000 } });

  it.each(legs)('on the %s leg loses its pair with 1012', { timeout: 40_000 }, async (leg) => {
    const host = await connectHost(relay);
    const { client, data, connectionId } = await connectPair(relay, host);
    const [slow, fast] = leg === 'client' ? [client, data] : [data, client];
    slow.pause();
    const { sent } = startFlow(fast, { count: 4000, bytes: 65_536 });
    await untilStill(sent, 500);
    const stoppedAt = performance.now() - 500;
    await expectClosed(fast, 1012, 15_000);
    expect(performance.now() - stoppedAt).toBeGreaterThan(STALL_MS - 600);
    expect(await host.nextId('disconnected')).toBe(connectionId);
    // It is told as well, once it reads.
    slow.resume();
    await expectClosed(slow, 1012);
    await expectLive(relay, host);
  });

  it('is not one that reads slowly', { timeout: 60_000 }, async () => {
    const host = await connectHost(relay);
    const { raw, peer } = await halfRawPair(relay, host, 'host-data');
    const reader = takeSlowly(raw.raw, 2 * 1024 * 1024);
    const count = 1600;
    const flow = startFlow(peer, { count, bytes: 65_536 });
    // 2 MiB every 500 ms: over the whole time it always has more waiting than it takes.
    for (let passed = 0; passed < 3 * STALL_MS; passed += 500) {
      reader.allowMore();
      await delay(500);
      expect(peer.socket.readyState).toBe(1);
    }
    expect(flow.sent()).toBeLessThan(count);
    reader.allowMore(Number.POSITIVE_INFINITY);
    await flow.done;
    await peer.roundTrip();
  });

  it('is not one that nothing waits for', async () => {
    const host = await connectHost(relay);
    const pair = await connectPair(relay, host);
    await expectFlows(pair);
    pair.data.pause();
    await delay(STALL_MS + 1000);
    pair.data.resume();
    await expectFlows(pair);
  });

  it('is not one that starts to read again in time', { timeout: 40_000 }, async () => {
    const host = await connectHost(relay);
    const { client, data } = await connectPair(relay, host);
    data.pause();
    const options = { count: 640, bytes: 65_536 };
    const flow = startFlow(client, options);
    await untilStill(flow.sent, 1000);
    data.resume();
    await expectFlow(data, options);
    await delay(STALL_MS);
    await expectFlows({ client, data });
  });

  it('does not take other pairs of its Host with it', { timeout: 40_000 }, async () => {
    const host = await connectHost(relay);
    const healthy = await connectPair(relay, host);
    const stalled = await connectPair(relay, host);
    stalled.data.pause();
    startFlow(stalled.client, { count: 4000, bytes: 65_536 });
    await expectClosed(stalled.client, 1012, 15_000);
    expect(await host.nextId('disconnected')).toBe(stalled.connectionId);
    await expectFlows(healthy);
  });
});
