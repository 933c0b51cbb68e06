import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { delay } from '../../src/wait.ts';
import { makeWorld, openTriple } from './tcp-pair.ts';
import type { World } from './tcp-pair.ts';

test('refuses new connections, leaves old ones alone, and listens on the same port again', async () => {
  const world = await makeWorld();
  const { client, target } = await openTriple(world);
  const { port } = world.proxy;
  await world.proxy.meetNew('refuse');
  await expect(world.dial()).rejects.toThrow('ECONNREFUSED');
  client.socket.write('alive');
  await target.heard('alive');
  await world.proxy.meetNew('open');
  expect(world.proxy.port).toBe(port);
  await openTriple(world);
});

test('accepts into a black hole: no answer, no end, and the target hears nothing', async () => {
  const world = await makeWorld();
  await world.proxy.meetNew('black-hole');
  const socket = await world.dial();
  const link = await world.proxy.connection();
  socket.write('hello?');
  await expect.poll(() => link.traffic.toTarget.droppedBytes).toBe(6);
  expect(link.state).toBe('black-hole');
  expect(socket.readableEnded).toBe(false);
  await world.proxy.meetNew('open');
  await openTriple(world);
  expect(world.sockets.total).toBe(1);
  socket.destroy();
  await link.closed();
});

/** Dials one after the other, so that the order of arrival is known; each says its name. */
async function dialInOrder(world: World, names: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (const name of names) {
    const socket = await world.dial();
    socket.write(name);
    await world.proxy.connection();
    sockets.push(socket);
  }
  return sockets;
}

async function nameOf(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString();
}

test('lets connections through in another order', async () => {
  const world = await makeWorld();
  const reordered = world.proxy.reorderNext([2, 0, 1]);
  await dialInOrder(world, 'ab');
  await delay(30);
  expect(world.sockets.total).toBe(0);
  await dialInOrder(world, 'c');
  expect((await reordered).map(({ id }) => id)).toEqual([3, 1, 2]);
  const names: string[] = [];
  for (let i = 0; i < 3; i += 1) names.push(await nameOf(await world.sockets.take()));
  expect(names.join('')).toBe('cab');
  await dialInOrder(world, 'd');
  expect(await nameOf(await world.sockets.take())).toBe('d');
});

test('lets the test admit each held connection itself', async () => {
  const world = await makeWorld();
  const holding = world.proxy.holdNext(2);
  await dialInOrder(world, 'ab');
  const [first, second] = await holding;
  if (first === undefined || second === undefined) throw new Error('two were held');
  await world.proxy.admit(second);
  expect(await nameOf(await world.sockets.take())).toBe('b');
  expect(first.state).toBe('held');
  await world.proxy.admit(first);
  expect(await nameOf(await world.sockets.take())).toBe('a');
});

test('forgets a held connection whose client leaves', async () => {
  const world = await makeWorld();
  const holding = world.proxy.holdNext(1);
  const [socket] = await dialInOrder(world, 'a');
  const [held] = await holding;
  socket?.resetAndDestroy();
  await held?.closed();
  expect(world.proxy.connections).toEqual([]);
});

test.each([[[0, 0]], [[1, 2]]])('refuses %j, which is no order', async (order) => {
  const world = await makeWorld();
  await expect(world.proxy.reorderNext(order)).rejects.toThrow(RangeError);
});
