import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { eventually, FakeClock, startFaultProxy, type FaultProxy } from '@openchambery/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { HostHandler } from '../src/relay-host.ts';
import { clientOf, makeHost, startRelay, statusIn } from './support/relay-stage.ts';
import { get, type TunnelClient } from './support/tunnel-client.ts';

const BLOCK = randomBytes(64 * 1024);
const BLOCKS = 160;

/** Answers with 10 MiB, a block at a time as it is read. */
const download: HostHandler = () => {
  let left = BLOCKS;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      left -= 1;
      if (left < 0) controller.close();
      else controller.enqueue(BLOCK);
    },
  });
  return new Response(body);
};

const WHOLE = createHash('sha256')
  .update(Buffer.concat(Array.from({ length: BLOCKS }, () => BLOCK)))
  .digest('hex');

/** A relay that the Host reaches through a proxy, and Clients directly. */
async function startProxiedRelay(): Promise<{ proxy: FaultProxy; url: string; hostUrl: string }> {
  const { url, port } = await startRelay();
  const proxy = await startFaultProxy({ target: { host: '127.0.0.1', port } });
  onTestFinished(() => proxy.close());
  return { proxy, url, hostUrl: `ws://${proxy.authority}/ws` };
}

/** Reads a download to its end; `atHalf` runs while it is under way. */
async function readAll({ tunnel }: TunnelClient, atHalf: () => Promise<void>): Promise<string> {
  const stream = tunnel.request({ method: 'GET', path: '/', query: '', headers: {} });
  stream.output.end();
  const hash = createHash('sha256');
  let received = 0;
  let isHalfDone = false;
  for (let chunk = await stream.body.read(); chunk !== undefined; chunk = await stream.body.read()) {
    hash.update(chunk);
    received += chunk.length;
    if (received > (BLOCKS * BLOCK.length) / 2 && !isHalfDone) {
      isHalfDone = true;
      await atHalf();
    }
  }
  return hash.digest('hex');
}

test('loses no byte when its control connection breaks and comes back', async () => {
  const { proxy, url, hostUrl } = await startProxiedRelay();
  const host = makeHost({ relayUrl: hostUrl, handler: download, origin: undefined, random: () => 0.9 });
  host.start();
  await host.connected();
  const control = await proxy.connection();
  const client = await clientOf(url);
  const closed: string[] = [];
  host.on('connectionClosed', ({ reason }) => closed.push(reason));

  const hash = await readAll(client, async () => {
    control.reset();
    await statusIn(host, 'reconnecting');
    await host.connected();
  });
  expect(hash).toBe(WHOLE);
  expect((await get(client, '/')).status).toBe(200);
  expect(closed).toEqual([]);
  // Two for control, one for data.
  expect(proxy.connectionsTotal).toBe(3);
});

test('finds Clients that came while its control connection was broken', async () => {
  const { proxy, url, hostUrl } = await startProxiedRelay();
  const host = makeHost({ relayUrl: hostUrl, random: () => 0.9 });
  host.start();
  await host.connected();
  await proxy.meetNew('refuse');
  proxy.reset();
  await statusIn(host, 'reconnecting');
  const client = await clientOf(url);
  await proxy.meetNew('open');
  expect((await get(client, '/')).status).toBe(200);
});

test('dials again for data as often as it takes while the Client waits', async () => {
  const { proxy, url, hostUrl } = await startProxiedRelay();
  const host = makeHost({ relayUrl: hostUrl });
  host.start();
  await host.connected();
  await proxy.connection();
  let held = proxy.holdNext(1);
  const client = await clientOf(url);
  for (let round = 0; round < 3; round++) {
    const [data] = await held;
    held = proxy.holdNext(1);
    data?.reset();
  }
  const [last] = await held;
  if (last !== undefined) await proxy.admit(last);
  expect((await get(client, '/')).status).toBe(200);
});

test('gives up dialling for a Client that left', async () => {
  const { proxy, url, hostUrl } = await startProxiedRelay();
  const host = makeHost({ relayUrl: hostUrl });
  host.start();
  await host.connected();
  await proxy.connection();
  await proxy.meetNew('black-hole');
  const client = await clientOf(url);
  const data = await proxy.connection();
  client.socket.close(1000);
  await data.closed();
  expect(host.snapshot()).toMatchObject({ connections: 0, lastError: undefined });
});

test('says so when no data connection comes about', async () => {
  const { proxy, url, hostUrl } = await startProxiedRelay();
  const clock = new FakeClock(Date.now());
  const host = makeHost({ relayUrl: hostUrl, clock });
  host.start();
  await host.connected();
  await proxy.meetNew('refuse');
  await clientOf(url);
  await eventually(
    () => {
      clock.advance(200);
      expect(host.snapshot().lastError).toMatch(/no data connection to the relay: nothing listens/);
    },
    { everyMs: 5 },
  );
  // Only the watch over control is left.
  expect(clock.pendingTimers).toBe(2);
});

test('gives up a control connection whose network fell silent, and comes back', async () => {
  const { proxy, hostUrl } = await startProxiedRelay();
  const clock = new FakeClock(Date.now());
  const host = makeHost({ relayUrl: hostUrl, clock, random: () => 0.5 });
  host.start();
  await host.connected();
  (await proxy.connection()).drop();
  clock.advance(40_000);
  const { reason, retryInMs } = await statusIn(host, 'reconnecting');
  expect(reason).toBe('the relay was silent for 40 s');
  clock.setEpoch(Date.now());
  clock.advance(retryInMs);
  await host.connected();
});

test('drops what the relay no longer lists, within 10 s of its sync', async () => {
  const { proxy, url, hostUrl } = await startProxiedRelay();
  const clock = new FakeClock(Date.now());
  const host = makeHost({ relayUrl: hostUrl, clock, random: () => 0.5 });
  host.start();
  await host.connected();
  const control = await proxy.connection();
  const client = await clientOf(url);
  await client.opened;
  const data = await proxy.connection();
  const closed = new Promise<{ reason: string }>((resolve) => {
    host.on('connectionClosed', resolve);
  });
  // The Host never hears that the Client left, nor that its pair is over.
  data.drop('toClient');
  control.drop('toClient');
  client.socket.close(1000);
  await once(client.socket, 'close');
  control.reset('toClient');
  const { retryInMs } = await statusIn(host, 'reconnecting');
  clock.advance(retryInMs);
  await host.connected();
  expect(host.snapshot().connections).toBe(1);
  clock.advance(10_000);
  // Nor that the close is answered.
  clock.advance(5000);
  expect((await closed).reason).toBe('the Client went away');
  expect(host.snapshot().connections).toBe(0);
});
