import { eventually, openPair, TestHost, type TestPair } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { createRelayServer, type RelayServer } from '../src/index.ts';

let relay: RelayServer | undefined;

afterEach(async () => relay?.close());

/** Fills a pair whose Client does not read, until the relay reads its Host's leg no more. */
function fill(pair: TestPair, messages: number): void {
  pair.client.pause();
  for (let count = 0; count < messages; count++) {
    void pair.data.send(Buffer.alloc(131_072)).catch(() => 'cut at the end of the test');
  }
}

describe('thirty stalled pairs under one self-made Host', () => {
  const maxGlobalQueuedBytes = 4 * 1_048_576;

  it('neither close nor stop an unrelated pair, though they fill the relay', {
    timeout: 60_000,
  }, async () => {
    relay = createRelayServer({ port: 0, limits: { maxGlobalQueuedBytes, maxClientsPerIp: 100 } });
    const { snapshot } = { snapshot: () => (relay as RelayServer).snapshot() };
    await relay.start();
    const url = `ws://127.0.0.1:${relay.address().port}/ws`;
    const [attacker, victim] = [await TestHost.connect(url), await TestHost.connect(url)];
    const before = await openPair(url, victim);
    const stalled: TestPair[] = [];
    for (let count = 0; count < 30; count++) stalled.push(await openPair(url, attacker));
    // More than any kernel keeps for a connection.
    for (const pair of stalled) fill(pair, 80);
    await eventually(() => expect(snapshot().pausedSources).toBe(30), { timeoutMs: 40_000 });
    expect(snapshot().queuedBytes).toBeLessThan(maxGlobalQueuedBytes + 30 * 262_144);

    // One that was there and one that comes now: 8 MiB each, far more than all queues together.
    const pairs = [before, await openPair(url, victim)];
    for (const { client, data } of pairs) {
      for (let count = 0; count < 64; count++) {
        const sent = Buffer.alloc(131_072, count);
        await data.send(sent);
        const { data: received } = await client.message();
        expect(received.equals(sent)).toBe(true);
      }
      await client.send('and back');
      expect(await data.text()).toBe('and back');
    }
    expect(snapshot()).toMatchObject({ connections: 32, totals: { closed: {} } });

    for (const { client, data } of [...stalled, ...pairs]) {
      client.terminate();
      data.terminate();
    }
    await eventually(() =>
      expect(snapshot()).toMatchObject({ connections: 0, queuedBytes: 0, pausedSources: 0, rawSockets: 2 }),
    );
  });
});
