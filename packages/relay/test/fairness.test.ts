import { eventually, openPair, TestHost, type TestPair } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { createRelayServer, type RelayServer } from '../src/index.ts';

const MIB = 1_048_576;
const maxGlobalQueuedBytes = 16 * MIB;
const messageBytes = 131_072;
/** What the relay reads of a socket at once, in bytes: every queue may hold that much however full the relay is. */
const readBytes = 65_536;
/** More than the kernel keeps for a connection and the relay for a stalled pair, in messages. */
const manyMessages = 60;

let relay: RelayServer | undefined;

afterEach(async () => relay?.close());

async function start(): Promise<{ server: RelayServer; url: string }> {
  const server = createRelayServer({ port: 0, limits: { maxGlobalQueuedBytes, maxClientsPerIp: 100 } });
  relay = server;
  await server.start();
  return { server, url: `ws://127.0.0.1:${server.address().port}/ws` };
}

/** Sends a message of bytes of one value, without waiting for it to go. */
function post(data: TestPair['data'], value: number): void {
  void data.send(Buffer.alloc(messageBytes, value)).catch(() => 'cut at the end of the test');
}

/** Sends until the pair is full: its Client does not read. */
function fill({ client, data }: TestPair): void {
  client.pause();
  for (let count = 0; count < manyMessages; count++) post(data, count);
}

/**
 * Sends until the relay holds more than `queuedBytes` in all; resolves to how many messages that took. A kernel keeps
 * more for a connection that has been busy, and how much more nobody can say.
 */
async function fillBeyond(
  queuedBytes: number,
  { client, data }: TestPair,
  server: RelayServer,
): Promise<number> {
  client.pause();
  let count = 0;
  await eventually(
    () => {
      for (const end = count + 10; count < end; count++) post(data, count);
      expect(server.snapshot().queuedBytes).toBeGreaterThan(queuedBytes);
    },
    { timeoutMs: 30_000 },
  );
  return count;
}

/** The pair carries messages both ways, one after the other. */
async function expectLively({ client, data }: TestPair): Promise<void> {
  for (let count = 0; count < 40; count++) {
    const sent = Buffer.alloc(messageBytes, count);
    await data.send(sent);
    expect((await client.message()).data.equals(sent)).toBe(true);
  }
  await client.send('and back');
  expect(await data.text()).toBe('and back');
}

describe('thirty stalled pairs under one self-made Host', () => {
  it('leave others their room: no pair of theirs is closed, stopped or narrowed', {
    timeout: 60_000,
  }, async () => {
    const { server, url } = await start();
    const [attacker, victim] = [await TestHost.connect(url), await TestHost.connect(url)];
    const before = await openPair(url, victim);
    const stalled: TestPair[] = [];
    for (let count = 0; count < 30; count++) stalled.push(await openPair(url, attacker));
    for (const pair of stalled) fill(pair);
    await eventually(() => expect(server.snapshot().pausedSources).toBe(30), { timeoutMs: 40_000 });
    const heldByStalled = server.snapshot().queuedBytes;
    // One Host that takes all it can ends at a ninth.
    expect(heldByStalled).toBeLessThan(maxGlobalQueuedBytes / 9 + 31 * readBytes);

    const after = await openPair(url, victim);
    for (const pair of [before, after]) await expectLively(pair);

    // A reader that pauses for a moment finds what came meanwhile, as far as its own bound goes.
    const sent = await fillBeyond(heldByStalled + MIB - 2 * readBytes, before, server);
    before.client.resume();
    for (let count = 0; count < sent; count++) {
      expect((await before.client.message()).data[0]).toBe(count % 256);
    }
    expect(server.snapshot()).toMatchObject({ connections: 32, totals: { closed: {} } });

    for (const { client, data } of [...stalled, before, after]) {
      client.terminate();
      data.terminate();
    }
    await eventually(() =>
      expect(server.snapshot()).toMatchObject({
        connections: 0,
        queuedBytes: 0,
        pausedSources: 0,
        rawSockets: 2,
      }),
    );
  });
});
