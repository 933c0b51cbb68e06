import { PEER_FRAME } from '@openchambery/testkit';
import { expect, test } from 'vitest';
import { expectAlive, makeWorld, standingClock } from './world.ts';

const SLOW = { method: 'POST', path: '/slow', query: '', headers: {} };

test.each([PEER_FRAME.httpRequest, PEER_FRAME.wsOpen])(
  'a stream id that is in use: that stream is aborted, others live (type %i)',
  async (type) => {
    const { connect, origin } = await makeWorld();
    const client = await connect();
    const [id, other] = [client.takeId(), client.takeId()];
    void client.sendFrame(PEER_FRAME.httpRequest, id, SLOW);
    const held = await origin.nextHeld();
    void client.sendFrame(PEER_FRAME.httpRequest, other, SLOW);
    void client.sendFrame(PEER_FRAME.streamEnd, other);
    const otherHeld = await origin.nextHeld();
    void client.sendFrame(type, id, type === PEER_FRAME.wsOpen ? { path: '/ws/echo', query: '' } : SLOW);
    const frame = await client.nextFrame({ id });
    expect(frame.type).toBe(PEER_FRAME.streamAbort);
    expect(JSON.parse(frame.payload.toString())).toEqual({ reason: expect.any(String) });
    await held.abandoned();
    otherHeld.answer(200, 'fine');
    expect((await client.answerTo(other)).body.toString()).toBe('fine');
    expect(origin.requestsTotal).toBe(2);
  },
);

test('late frames of a finished stream are ignored', async () => {
  const { connect } = await makeWorld();
  const client = await connect();
  const id = client.ask({ path: '/status/200' });
  await client.answerTo(id);
  void client.sendFrame(PEER_FRAME.httpBody, id, 'late');
  void client.sendFrame(PEER_FRAME.streamEnd, id);
  void client.sendFrame(PEER_FRAME.streamAbort, id, { reason: 'late' });
  void client.sendFrame(PEER_FRAME.wsText, id, 'late');
  void client.send({ type: PEER_FRAME.wsBinary, id, payload: 'late', hasMore: true });
  void client.sendFrame(PEER_FRAME.wsClose, id, { code: 1000, reason: '' });
  await expectAlive(client);
  expect(client.frames.size).toBe(0);
});

test('late frames of an aborted stream are ignored', async () => {
  const { connect, origin } = await makeWorld();
  const client = await connect();
  const id = client.takeId();
  void client.sendFrame(PEER_FRAME.httpRequest, id, SLOW);
  const held = await origin.nextHeld();
  void client.sendFrame(PEER_FRAME.streamAbort, id, { reason: 'changed my mind' });
  await held.abandoned();
  void client.sendFrame(PEER_FRAME.httpBody, id, 'late');
  void client.sendFrame(PEER_FRAME.streamEnd, id);
  await expectAlive(client);
});

test('frames of a stream that never was are ignored', async () => {
  const { connect } = await makeWorld();
  const client = await connect();
  void client.sendFrame(PEER_FRAME.httpBody, 99, 'x');
  void client.sendFrame(PEER_FRAME.streamEnd, 99);
  void client.sendFrame(PEER_FRAME.wsText, 101, 'x');
  void client.sendFrame(PEER_FRAME.streamAbort, 103, { reason: 'x' });
  await expectAlive(client);
});

test('a frame of an unknown type is ignored', async () => {
  const { connect } = await makeWorld();
  const client = await connect();
  void client.sendFrame(42, 0, 'from the future');
  void client.sendFrame(13, 1, 'from the future');
  client.takeId();
  await expectAlive(client);
});

test('an even id is not served', async () => {
  const { connect, origin } = await makeWorld();
  const client = await connect();
  void client.sendFrame(PEER_FRAME.httpRequest, 2, { ...SLOW, path: '/echo' });
  void client.sendFrame(PEER_FRAME.streamEnd, 2);
  void client.sendFrame(PEER_FRAME.ping, 0);
  await client.nextFrame({ type: PEER_FRAME.pong }).catch(() => 'the channel may be gone');
  expect(origin.requestsTotal).toBe(0);
});

test('Ping gets Pong on stream 0', async () => {
  const { connect } = await makeWorld();
  const client = await connect();
  void client.sendFrame(PEER_FRAME.ping, 0);
  expect(await client.nextFrame()).toMatchObject({ type: PEER_FRAME.pong, id: 0, payload: Buffer.alloc(0) });
});

test('StreamAbort of a request gives it up at the origin', async () => {
  const { connect, origin } = await makeWorld();
  const client = await connect();
  const id = client.ask({ path: '/slow' });
  const held = await origin.nextHeld();
  held.begin();
  await client.nextFrame({ id, type: PEER_FRAME.httpResponse });
  void client.sendFrame(PEER_FRAME.streamAbort, id, { reason: 'enough' });
  await held.abandoned();
  await expectAlive(client);
});

test.each(['reset', 'truncate'])(
  'an answer that breaks off at the origin (%s) ends with StreamAbort',
  async (route) => {
    const { connect } = await makeWorld();
    const client = await connect();
    const id = client.ask({ path: `/${route}/1000` });
    for (;;) {
      const { type, payload } = await client.nextFrame({ id });
      expect(type).not.toBe(PEER_FRAME.streamEnd);
      if (type !== PEER_FRAME.streamAbort) continue;
      expect(JSON.parse(payload.toString())).toEqual({ reason: expect.any(String) });
      break;
    }
    await expectAlive(client);
  },
);

test('a channel that dies gives its requests up at the origin', async () => {
  const { connect, origin } = await makeWorld();
  const client = await connect();
  client.ask({ path: '/slow' });
  const held = await origin.nextHeld();
  client.peer.terminate();
  await held.abandoned();
});

test('an answer may end before its request does, and the rest of the request is ignored', async () => {
  const { connect } = await makeWorld();
  const client = await connect();
  const id = client.takeId();
  void client.sendFrame(PEER_FRAME.httpRequest, id, { ...SLOW, path: '/early' });
  void client.sendFrame(PEER_FRAME.httpBody, id, 'x'.repeat(1000));
  expect((await client.answerTo(id)).status).toBe(413);
  for (let piece = 0; piece < 20; piece += 1)
    void client.sendFrame(PEER_FRAME.httpBody, id, Buffer.alloc(60_000));
  void client.sendFrame(PEER_FRAME.streamEnd, id);
  await expectAlive(client);
});

test('a data socket that is silent for 90 s is closed with 1001, and not a ms before', async () => {
  const clock = standingClock();
  const { connect, closeCode } = await makeWorld({ clock });
  const client = await connect();
  clock.advance(89_999);
  clock.jumpEpoch(-89_999);
  await expectAlive(client);
  clock.advance(89_999);
  await expectAlive(client);
  clock.advance(90_000);
  expect(await closeCode()).toBe(1001);
});

test('a sign of life makes the 90 s begin anew', async () => {
  const clock = standingClock();
  const { connect, closeCode } = await makeWorld({ clock });
  const client = await connect();
  for (let time = 0; time < 3; time += 1) {
    clock.advance(89_999);
    void client.sendFrame(PEER_FRAME.ping, 0);
    await client.nextFrame({ type: PEER_FRAME.pong });
  }
  clock.advance(90_000);
  expect(await closeCode()).toBe(1001);
});
