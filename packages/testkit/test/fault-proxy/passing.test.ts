import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { ProxiedConnection } from '../../src/fault-proxy/proxied-connection.ts';
import { delay } from '../../src/wait.ts';
import { makeWorld, openTriple } from './tcp-pair.ts';

test('passes bytes both ways and counts them', async () => {
  const world = await makeWorld();
  const { client, target, link } = await openTriple(world);
  client.socket.write('question');
  await target.heard('question');
  target.socket.write('answer!');
  await client.heard('answer!');
  const up = { receivedBytes: 8, deliveredBytes: 8, droppedBytes: 0 };
  const down = { receivedBytes: 7, deliveredBytes: 7, droppedBytes: 0 };
  expect(link.traffic).toMatchObject({ toTarget: up, toClient: down });
  expect(world.proxy.traffic).toMatchObject({ toTarget: up, toClient: down });
});

test('passes a half-close on and leaves the other direction open', async () => {
  const world = await makeWorld();
  const { client, target, link } = await openTriple(world);
  client.socket.end('last words');
  expect(await target.end()).toBe('fin');
  expect(target.text).toBe('last words');
  target.socket.end('still here');
  expect(await client.end()).toBe('fin');
  expect(client.text).toBe('still here');
  await link.closed();
  expect(world.proxy.connections).toEqual([]);
});

test('passes an RST on as an RST', async () => {
  const { client, target, link } = await openTriple(await makeWorld());
  client.socket.resetAndDestroy();
  expect(await target.end()).toBe('rst');
  await link.closed();
});

test('tells of an RST although the receiver does not read', async () => {
  const { client, target, link } = await openTriple(await makeWorld());
  client.socket.pause();
  const block = randomBytes(65_536);
  while (target.socket.writableLength < 1_000_000) target.socket.write(block);
  await link.passed('toClient', 65_536);
  target.socket.resetAndDestroy();
  await link.closed();
});

test('totals outlive their connections', async () => {
  const world = await makeWorld();
  for (const text of ['one', 'three']) {
    const { client, target, link } = await openTriple(world);
    client.socket.end(text);
    target.socket.end();
    await link.closed();
  }
  expect(world.proxy.traffic.toTarget.deliveredBytes).toBe(8);
  expect(world.proxy.connectionsTotal).toBe(2);
});

test('resets a client whose target cannot be reached', async () => {
  const world = await makeWorld();
  world.server.close();
  await once(world.server, 'close');
  const socket = await world.dial();
  const [error] = (await once(socket, 'error').catch((reason: unknown) => [reason])) as [Error];
  expect(error.message).toContain('ECONNRESET');
});

test('sends later connections to another target', async () => {
  const world = await makeWorld();
  const other = await makeWorld();
  await openTriple(world);
  world.proxy.retarget({ host: '127.0.0.1', port: (other.server.address() as { port: number }).port });
  const socket = await world.dial();
  socket.write('hi');
  await world.proxy.connection();
  await other.sockets.take();
  expect(world.sockets.size).toBe(0);
});

test('holds a bounded number of bytes while the receiver does not read', async () => {
  const maxBufferedBytes = 100_000;
  const world = await makeWorld({ maxBufferedBytes });
  const { client, target, link } = await openTriple(world);
  target.socket.pause();
  const bytes = 40_000_000;
  client.socket.write(Buffer.alloc(bytes));
  await stalled(link);
  // The kernel's own buffers take some megabytes; beyond them the sender has to wait.
  expect(link.traffic.toTarget.receivedBytes).toBeLessThan(bytes);
  // A chunk over the limit, and two in the buffer of each socket: it stops a chunk after it is full.
  expect(link.bufferedBytes('toTarget')).toBeLessThanOrEqual(maxBufferedBytes + 5 * 65_536);
  target.socket.resume();
  await link.passed('toTarget', bytes);
});

/** Resolves when nothing has been received for 300 ms: TCP has pushed back. */
async function stalled({ traffic }: ProxiedConnection): Promise<void> {
  for (let before = -1; before !== traffic.toTarget.receivedBytes; ) {
    before = traffic.toTarget.receivedBytes;
    await delay(300);
  }
}

test('close leaves no connection and no listener', async () => {
  const world = await makeWorld();
  const { client, target } = await openTriple(world);
  await world.proxy.close();
  await Promise.all([client.end(), target.end()]);
  expect(world.proxy.connections).toEqual([]);
  await expect(world.dial()).rejects.toThrow('ECONNREFUSED');
  await expect(world.proxy.connection()).rejects.toThrow('closed');
});
