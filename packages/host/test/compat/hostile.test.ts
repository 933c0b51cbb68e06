import { delay, PEER_FRAME, startTestOrigin } from '@openchambery/testkit';
import type { TunnelTestClient } from '@openchambery/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectAlive, makeWorld } from './world.ts';
import type { World } from './world.ts';

/** The Host as a whole goes on whatever one Client says. */
async function expectHostAlive(world: World): Promise<void> {
  const other = await world.connect();
  await expectAlive(other);
  expect(world.host.status.state).toBe('connected');
}

/** What became of a stream: its first frame, or the end of the channel. */
async function fateOf(client: TunnelTestClient, id: number): Promise<string> {
  try {
    const { type, payload } = await client.nextFrame({ id });
    if (type === PEER_FRAME.streamAbort) return 'aborted';
    if (type === PEER_FRAME.httpResponse)
      return String((JSON.parse(payload.toString()) as { status: number }).status);
    return `frame ${type}`;
  } catch {
    return 'channel closed';
  }
}

const GOOD = { method: 'GET', path: '/echo', query: '', headers: {} };

describe('a head that cannot be meant', () => {
  test.each<[string, unknown]>([
    ['no JSON', '{"method":'],
    ['no object', '[]'],
    ['null', 'null'],
    ['nothing', ''],
    ['no method', { ...GOOD, method: undefined }],
    ['no path', { ...GOOD, path: undefined }],
    ['a method with a space', { ...GOOD, method: 'GET /evil HTTP/1.1' }],
    ['a method with a line break', { ...GOOD, method: 'GET\r\nx: y' }],
    ['an empty method', { ...GOOD, method: '' }],
    ['CONNECT', { ...GOOD, method: 'CONNECT' }],
    ['a path without a slash', { ...GOOD, path: 'echo' }],
    ['a path with a line break', { ...GOOD, path: '/echo\r\nx: y' }],
    ['a path with a space', { ...GOOD, path: '/echo /x' }],
    ['a path that is a number', { ...GOOD, path: 7 }],
    ['a query with a line break', { ...GOOD, query: 'a\r\nx: y' }],
    ['a header with a line break', { ...GOOD, headers: { a: 'b\r\nx: y' } }],
    ['a header name with a space', { ...GOOD, headers: { 'a b': 'c' } }],
    ['a header that is an object', { ...GOOD, headers: { a: {} } }],
    ['headers that are a text', { ...GOOD, headers: 'a: b' }],
  ])('%s is refused and never sent on', async (_name, payload) => {
    const world = await makeWorld();
    const client = await world.connect();
    const id = client.takeId();
    void client.sendFrame(PEER_FRAME.httpRequest, id, payload);
    void client.sendFrame(PEER_FRAME.streamEnd, id);
    expect(['aborted', 'channel closed', '400', '403', '405', '501']).toContain(await fateOf(client, id));
    expect(world.origin.requestsTotal).toBe(0);
    await expectHostAlive(world);
  });

  test('no path leads to another program', async () => {
    const world = await makeWorld();
    const evil = await startTestOrigin();
    onTestFinished(() => evil.close());
    const authority = new URL(evil.url).host;
    const client = await world.connect();
    const paths = [
      evil.url,
      `//${authority}/echo`,
      `@${authority}/echo`,
      `/\\${authority}/echo`,
      `/@${authority}/echo`,
    ];
    for (const path of paths) {
      const id = client.ask({ path });
      expect([path, await fateOf(client, id)]).not.toEqual([path, '200']);
      const socketId = client.takeId();
      void client.sendFrame(PEER_FRAME.wsOpen, socketId, {
        path: path.replace('echo', 'ws/echo'),
        query: '',
      });
      expect([path, await fateOf(client, socketId)]).not.toEqual([path, `frame ${PEER_FRAME.wsOpened}`]);
    }
    expect(evil.requestsTotal).toBe(0);
    await expectHostAlive(world);
  });

  test.each<[string, unknown]>([
    ['no JSON', '{"path":'],
    ['no path', { query: '' }],
    ['subprotocols that are a text', { path: '/ws/x', query: '', protocols: 'a' }],
    ['a subprotocol with a space', { path: '/ws/x', query: '', protocols: ['a b'] }],
    ['a subprotocol twice', { path: '/ws/x', query: '', protocols: ['a', 'a'] }],
    ['a header with a line break', { path: '/ws/x', query: '', headers: { a: 'b\r\nx: y' } }],
  ])('of a WebSocket: %s is refused and never sent on', async (_name, payload) => {
    const world = await makeWorld();
    const client = await world.connect();
    const id = client.takeId();
    void client.sendFrame(PEER_FRAME.wsOpen, id, payload);
    expect(['aborted', 'channel closed']).toContain(await fateOf(client, id));
    expect(world.origin.requestsTotal).toBe(0);
    await expectHostAlive(world);
  });
});

describe('frames where they do not belong', () => {
  test.each([PEER_FRAME.httpBody, PEER_FRAME.streamEnd])(
    'a fragment of type %i is not taken',
    async (type) => {
      const world = await makeWorld();
      const client = await world.connect();
      const id = client.takeId();
      void client.sendFrame(PEER_FRAME.httpRequest, id, { ...GOOD, method: 'POST', path: '/sink' });
      void client.send({ type, id, payload: type === PEER_FRAME.httpBody ? 'x' : '', hasMore: true });
      void client.sendFrame(PEER_FRAME.streamEnd, id);
      expect(['aborted', 'channel closed']).toContain(await fateOf(client, id));
      await expectHostAlive(world);
    },
  );

  test('a fragment of a request is not taken', async () => {
    const world = await makeWorld();
    const client = await world.connect();
    const id = client.takeId();
    void client.send({ type: PEER_FRAME.httpRequest, id, payload: GOOD, hasMore: true });
    void client.sendFrame(PEER_FRAME.streamEnd, id);
    void client.sendFrame(PEER_FRAME.ping, 0);
    await client.nextFrame({ type: PEER_FRAME.pong }).catch(() => 'the channel may be closed');
    expect(world.origin.requestsTotal).toBe(0);
    await expectHostAlive(world);
  });

  test.each([
    [PEER_FRAME.httpResponse, { status: 200, headers: {} }],
    [PEER_FRAME.wsOpened, {}],
  ])('what only a Host says (type %i) opens nothing', async (type, payload) => {
    const world = await makeWorld();
    const client = await world.connect();
    void client.sendFrame(type, client.takeId(), payload);
    void client.sendFrame(PEER_FRAME.ping, 0);
    await client.nextFrame({ type: PEER_FRAME.pong }).catch(() => 'the channel may be closed');
    expect(world.origin.requestsTotal).toBe(0);
    await expectHostAlive(world);
  });

  test('a text whose fragments change to binary ends its stream at least', async () => {
    const world = await makeWorld();
    const client = await world.connect();
    const id = client.takeId();
    void client.sendFrame(PEER_FRAME.wsOpen, id, { path: '/ws/mine', query: '' });
    const socket = await world.origin.nextSocket();
    await client.nextFrame({ id, type: PEER_FRAME.wsOpened });
    void client.send({ type: PEER_FRAME.wsText, id, payload: 'a', hasMore: true });
    void client.send({ type: PEER_FRAME.wsBinary, id, payload: 'b' });
    expect(['aborted', 'channel closed', `frame ${PEER_FRAME.wsClose}`]).toContain(await fateOf(client, id));
    await socket.closed();
    expect(socket.messages.total).toBe(0);
    await expectHostAlive(world);
  });

  test.each<[string, unknown]>([
    ['code 1005', { code: 1005, reason: '' }],
    ['code 1006', { code: 1006, reason: '' }],
    ['code 0', { code: 0, reason: '' }],
    ['code 70000', { code: 70_000, reason: '' }],
    ['a reason of 200 bytes', { code: 4000, reason: 'x'.repeat(200) }],
    ['no members', {}],
    ['no JSON', 'bye'],
  ])('a WsClose with %s closes the socket at the origin all the same', async (_name, payload) => {
    const world = await makeWorld();
    const client = await world.connect();
    const id = client.takeId();
    void client.sendFrame(PEER_FRAME.wsOpen, id, { path: '/ws/mine', query: '' });
    const socket = await world.origin.nextSocket();
    await client.nextFrame({ id, type: PEER_FRAME.wsOpened });
    void client.sendFrame(PEER_FRAME.wsClose, id, payload);
    await socket.closed();
    await expectHostAlive(world);
  });

  test('a text that is not UTF-8 harms nobody else', async () => {
    const world = await makeWorld();
    const client = await world.connect();
    const id = client.takeId();
    void client.sendFrame(PEER_FRAME.wsOpen, id, { path: '/ws/mine', query: '' });
    await world.origin.nextSocket();
    void client.sendFrame(PEER_FRAME.wsText, id, Buffer.from([0xff, 0xfe]));
    await delay(50);
    await expectHostAlive(world);
  });
});

test('more streams than a Client may have are aborted, the others live', async () => {
  const world = await makeWorld();
  const client = await world.connect();
  const first = client.ask({ path: '/slow' });
  const held = await world.origin.nextHeld();
  const ids = Array.from({ length: 600 }, () => client.ask({ path: '/slow' }));
  const { payload } = await client.nextFrame({ type: PEER_FRAME.streamAbort });
  expect(JSON.parse(payload.toString())).toEqual({ reason: expect.any(String) });
  held.answer(200, 'fine');
  expect((await client.answerTo(first)).body.toString()).toBe('fine');
  expect(world.host.snapshot().openStreams).toBeLessThan(ids.length);
});

test('what somebody recorded of a channel cannot be played to the Host again', async () => {
  const world = await makeWorld();
  const client = await world.connect();
  const { keys, nonce } = client;
  const frames = { method: 'POST', path: '/echo', body: ['once'] };
  expect((await client.request(frames)).status).toBe(200);
  for (const extra of [{}, { batch: undefined }]) {
    // The same keys and counters: byte for byte what the Client has sent.
    const replay = await world.connect({ keys, nonce, extra });
    const id = replay.ask(frames);
    expect(await fateOf(replay, id)).toBe('channel closed');
    expect(await world.closeCode()).toBe(1008);
  }
  expect(world.origin.requestsTotal).toBe(1);
  await expectAlive(client);
});
