import { expect, test } from 'vitest';
import { batchPlaintext, encodePeerFrame, PEER_FRAME } from '../../src/tunnel-peer/peer-frame.ts';
import { bridge } from './bridge.ts';
import type { Ends } from './bridge.ts';

async function established(batch = true): Promise<Ends> {
  const ends = await bridge();
  await Promise.all([ends.client.handshake({ batch }), ends.host.handshake()]);
  return ends;
}

test.each([
  [true, true, true],
  [true, false, false],
  [false, true, false],
])('batches only when both offer it (client %s, host %s)', async (client, host, isBatching) => {
  const ends = await bridge();
  await Promise.all([ends.client.handshake({ batch: client }), ends.host.handshake({ batch: host })]);
  expect([ends.client.isBatching, ends.host.isBatching]).toEqual([isBatching, isBatching]);
});

test.each([true, false])('a request and its answer (batching %s)', async (batch) => {
  const { client, host } = await established(batch);
  const answer = client.request({
    method: 'PUT',
    path: '/x',
    query: 'q=1',
    headers: { a: 'b' },
    body: ['12', '3'],
  });
  const request = await host.nextRequest();
  expect(request).toEqual({ id: 1, method: 'PUT', path: '/x', query: 'q=1', headers: { a: 'b' } });
  expect((await host.readBody(1)).toString()).toBe('123');
  host.respond(1, { status: 201, headers: { c: 'd' } }, 'done');
  expect(await answer).toEqual({ status: 201, headers: { c: 'd' }, body: Buffer.from('done') });
  expect(client.takeId()).toBe(3);
});

test('a batch arrives as its frames, in one message', async () => {
  const { client, host } = await established();
  await client.sendBatch([
    { type: PEER_FRAME.wsText, id: 1, payload: 'a', hasMore: true },
    { type: PEER_FRAME.wsText, id: 1, payload: 'b' },
  ]);
  const frames = [await host.nextFrame(), await host.nextFrame()];
  expect(frames.map(({ payload, hasMore }) => [payload.toString(), hasMore])).toEqual([
    ['a', true],
    ['b', false],
  ]);
  expect(frames.map(({ counter, envelope }) => [counter, envelope])).toEqual([
    [1n, 1],
    [1n, 1],
  ]);
});

test('a repeated hello gets ready again, and pings get pongs', async () => {
  const { client, host } = await established();
  await client.sendRaw(client.helloText());
  await client.nextReady();
  await client.sendFrame(PEER_FRAME.ping, 0);
  expect((await client.nextFrame()).type).toBe(PEER_FRAME.pong);
  expect(host.pingCount).toBe(1);
});

const FRAME = encodePeerFrame({ type: PEER_FRAME.streamEnd, id: 1 });

test.each<[string, string, (ends: Ends) => Buffer]>([
  ['a counter that stands still', 'counter 1 after 1', ({ client }) => client.seal(FRAME, { counter: 1n })],
  ['a counter that skips', 'counter 3 after 1', ({ client }) => client.seal(FRAME, { counter: 3n })],
  [
    'another IV prefix',
    'another IV prefix',
    ({ client }) => client.seal(FRAME, { ivPrefix: Buffer.alloc(4) }),
  ],
  ['another key', 'authenticate', ({ client }) => client.seal(FRAME, { key: Buffer.alloc(32) })],
  ['a batch without frames', 'empty batch', ({ client }) => client.seal(batchPlaintext([]))],
  ['an unknown envelope', 'begins with 2', ({ client }) => client.seal(Buffer.concat([Buffer.of(2), FRAME]))],
  ['a batch cut short', 'within a frame', ({ client }) => client.seal(Buffer.of(1, 0, 0, 0, 9, 1))],
  [
    'a fragment of a body',
    'a fragment of type 2',
    ({ client }) =>
      client.seal(batchPlaintext([encodePeerFrame({ type: PEER_FRAME.httpBody, id: 1, hasMore: true })])),
  ],
  ['a plaintext that is too long', 'plaintext of 65537', ({ client }) => client.seal(Buffer.alloc(65_537))],
])('%s from the other end is reported', async (_name, why, seal) => {
  const ends = await established();
  await ends.client.sendFrame(PEER_FRAME.streamEnd, 1);
  await ends.host.nextFrame();
  await ends.client.sendRaw(seal(ends));
  await expect(ends.host.nextFrame()).rejects.toThrow(why);
});

test('the largest payload passes, one more byte is reported', async () => {
  const { client, host } = await established();
  await client.sendFrame(PEER_FRAME.httpBody, 1, Buffer.alloc(65_526));
  expect((await host.nextFrame()).payload).toHaveLength(65_526);
  await client.sendFrame(PEER_FRAME.httpBody, 1, Buffer.alloc(65_527));
  await expect(host.nextFrame()).rejects.toThrow('a payload of 65527 bytes');
});

test('what waits when the socket closes says how it closed', async () => {
  const { client, host } = await established();
  host.close(1008, 'enough');
  await expect(client.nextFrame()).rejects.toThrow('closed 1008 "enough"');
});
