import { PEER_FRAME } from '@openchambery/testkit';
import type { EventStream, FakeClock, OriginSocket, TunnelTestClient } from '@openchambery/testkit';
import { describe, expect, test } from 'vitest';
import { expectAlive, makeWorld, standingClock } from './world.ts';

const WINDOW_MS = 150;

interface Streaming {
  readonly clock: FakeClock;
  readonly client: TunnelTestClient;
  readonly id: number;
}

async function openSocket(batch = true): Promise<Streaming & { readonly socket: OriginSocket }> {
  const clock = standingClock();
  const { connect, origin } = await makeWorld({ clock });
  const client = await connect({ batch });
  const id = client.takeId();
  void client.sendFrame(PEER_FRAME.wsOpen, id, { path: '/ws/mine', query: '' });
  const socket = await origin.nextSocket();
  await client.nextFrame({ id, type: PEER_FRAME.wsOpened });
  clock.advance(WINDOW_MS);
  return { clock, client, id, socket };
}

async function openEvents(): Promise<Streaming & { readonly events: EventStream }> {
  const clock = standingClock();
  const { connect, origin } = await makeWorld({ clock });
  const client = await connect();
  const id = client.ask({ path: '/sse' });
  const events = await origin.nextEventStream();
  await client.nextFrame({ id, type: PEER_FRAME.httpResponse });
  clock.advance(WINDOW_MS);
  return { clock, client, id, events };
}

describe('where both batch', () => {
  test('the first message after a quiet window goes at once, later ones within 150 ms, in order', async () => {
    const { clock, client, id, socket } = await openSocket();
    socket.send('first');
    expect((await client.nextFrame({ id })).payload.toString()).toBe('first');
    const later = ['second', 'third', 'fourth'];
    for (const text of later) socket.send(text);
    for (const text of later) {
      const next = client.nextFrame({ id });
      // Whatever has reached the Host by now has waited for no longer than this; the rest is the first after it.
      clock.advance(WINDOW_MS);
      expect((await next).payload.toString()).toBe(text);
    }
  });

  test('after a quiet window the next one goes at once again', async () => {
    const { clock, client, id, socket } = await openSocket();
    for (const text of ['one', 'two', 'three']) {
      socket.send(text);
      expect((await client.nextFrame({ id })).payload.toString()).toBe(text);
      clock.advance(2 * WINDOW_MS);
    }
  });

  test('tokens of an event stream arrive the same way, and the end waits for nothing', async () => {
    const { client, id, events } = await openEvents();
    await events.push('one');
    expect((await client.nextFrame({ id })).payload.toString()).toBe('data: one\n\n');
    await events.push('two');
    events.end();
    const body = await client.nextFrame({ id });
    expect([body.type, body.payload.toString()]).toEqual([PEER_FRAME.httpBody, 'data: two\n\n']);
    expect((await client.nextFrame({ id })).type).toBe(PEER_FRAME.streamEnd);
  });

  test('tokens need no time at all, the first one after the head neither', async () => {
    const { connect, origin } = await makeWorld({ clock: standingClock() });
    const client = await connect();
    const id = client.ask({ path: '/sse' });
    const events = await origin.nextEventStream();
    await client.nextFrame({ id, type: PEER_FRAME.httpResponse });
    for (const token of ['one', 'two', 'three']) {
      await events.push(token);
      expect((await client.nextFrame({ id })).payload.toString()).toBe(`data: ${token}\n\n`);
    }
  });

  test('32 frames do not wait for more', async () => {
    const { client, id, socket } = await openSocket();
    for (let index = 0; index <= 32; index += 1) socket.send(String(index));
    for (let index = 0; index <= 32; index += 1) {
      expect((await client.nextFrame({ id })).payload.toString()).toBe(String(index));
    }
  });

  test('24 KiB do not wait for more', async () => {
    const { client, id, socket } = await openSocket();
    for (const bytes of [1, 12 * 1024, 12 * 1024]) socket.send(Buffer.alloc(bytes));
    for (const bytes of [1, 12 * 1024, 12 * 1024]) {
      expect((await client.nextFrame({ id })).payload).toHaveLength(bytes);
    }
  });

  test('a close goes at once, after what is buffered', async () => {
    const { client, id, socket } = await openSocket();
    for (const text of ['first', 'buffered']) socket.send(text);
    socket.close(4000, 'done');
    const frames = [
      await client.nextFrame({ id }),
      await client.nextFrame({ id }),
      await client.nextFrame({ id }),
    ];
    expect(frames.map(({ payload }) => payload.toString()).slice(0, 2)).toEqual(['first', 'buffered']);
    expect(frames[2]?.type).toBe(PEER_FRAME.wsClose);
  });

  test('a bulk transfer and small answers need no time at all', async () => {
    const clock = standingClock();
    const { connect } = await makeWorld({ clock });
    const client = await connect();
    const { body } = await client.request({ path: '/bytes/2000000' });
    expect(body).toHaveLength(2_000_000);
    await expectAlive(client);
  });
});

test('where one does not batch, each message is one frame and nothing waits', async () => {
  const { client, id, socket } = await openSocket(false);
  for (let index = 0; index < 5; index += 1) socket.send(String(index));
  const frames = [];
  for (let index = 0; index < 5; index += 1) frames.push(await client.nextFrame({ id }));
  expect(frames.map(({ payload }) => payload.toString())).toEqual(['0', '1', '2', '3', '4']);
  expect(new Set(frames.map(({ counter }) => counter)).size).toBe(5);
});

test.each([true, false])('a Client may batch what it likes, where it was agreed (%s)', async (batch) => {
  const { connect } = await makeWorld();
  const client = await connect({ batch });
  const head = { method: 'POST', path: '/echo-stream', query: '', headers: {} };
  const [one, two] = [client.takeId(), client.takeId()];
  const frames = [
    { type: PEER_FRAME.httpRequest, id: one, payload: head },
    { type: PEER_FRAME.httpRequest, id: two, payload: head },
    { type: PEER_FRAME.httpBody, id: two, payload: 'two' },
    { type: PEER_FRAME.httpBody, id: one, payload: 'one' },
    { type: PEER_FRAME.streamEnd, id: one },
    { type: PEER_FRAME.streamEnd, id: two },
  ];
  if (batch) void client.sendBatch(frames);
  else for (const frame of frames) void client.send(frame);
  expect((await client.answerTo(one)).body.toString()).toBe('one');
  expect((await client.answerTo(two)).body.toString()).toBe('two');
});
