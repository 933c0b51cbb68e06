import { createHash } from 'node:crypto';
import { PEER_FRAME, patternPieces, patternSha256 } from '@openchambery/testkit';
import { describe, expect, test } from 'vitest';
import { expectAlive, makeWorld, standingClock } from './world.ts';

describe('a request', () => {
  test('is a head and an end, on odd ids from 1', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    for (const id of [1, 3, 5]) {
      const answer = client.fetch('/path/a%20b?q=1&r=%2F', { headers: { 'X-Mine': 'Yes' } });
      const frame = await channel.nextFrame();
      expect([frame.type, frame.id]).toEqual([PEER_FRAME.httpRequest, id]);
      expect(JSON.parse(frame.payload.toString())).toMatchObject({
        method: 'GET',
        path: '/path/a%20b',
        query: 'q=1&r=%2F',
        headers: { 'x-mine': 'Yes' },
      });
      expect(await channel.nextFrame()).toMatchObject({
        type: PEER_FRAME.streamEnd,
        id,
        payload: Buffer.alloc(0),
      });
      channel.respond(id, { status: 204 });
      expect((await answer).status).toBe(204);
    }
  });

  test('without a query has an empty one', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    void client.fetch('/x').catch(() => 'ends with the world');
    expect(await channel.nextRequest()).toMatchObject({ path: '/x', query: '' });
  });

  test("carries the pairing's secret, inside the channel", async () => {
    const secret = Buffer.alloc(16, 9).toString('base64url');
    const { open, client } = await makeWorld({ secret });
    const channel = await open();
    void client.fetch('/x').catch(() => 'ends with the world');
    expect((await channel.nextRequest()).headers['x-openchamber-pairing-secret']).toBe(secret);
    const socket = new client.WebSocket('/ws');
    socket.addEventListener('error', () => 'ends with the world');
    const opening = await channel.nextJson<{ headers: object }>({ type: PEER_FRAME.wsOpen });
    expect(opening.headers).toMatchObject({ 'x-openchamber-pairing-secret': secret });
  });

  test.each([true, false])('that is large arrives whole (batching %s)', async (batch) => {
    const { open, client } = await makeWorld();
    const channel = await open({ batch });
    const bytes = 3_000_000;
    const answer = client.fetch('/up', { method: 'POST', body: Buffer.concat([...patternPieces(bytes)]) });
    const { id, method } = await channel.nextRequest();
    const body = await channel.readBody(id);
    expect([method, body.length]).toEqual(['POST', bytes]);
    expect(createHash('sha256').update(body).digest('hex')).toBe(patternSha256(bytes));
    channel.respond(id, { status: 200 }, 'thanks');
    expect(await (await answer).text()).toBe('thanks');
  });

  test('may be answered before it ends, and goes on after', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const answering = client.fetch('/both', {
      method: 'POST',
      body: readable,
      duplex: 'half',
    } as RequestInit);
    const { id } = await channel.nextRequest();
    void channel.sendFrame(PEER_FRAME.httpResponse, id, { status: 200, headers: {} });
    const answer = await answering;
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    for (const text of ['one', 'two']) {
      await writer.write(Buffer.from(text));
      const frame = await channel.nextFrame({ id });
      expect([frame.type, frame.payload.toString()]).toEqual([PEER_FRAME.httpBody, text]);
      void channel.sendFrame(PEER_FRAME.httpBody, id, text.toUpperCase());
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(text.toUpperCase());
    }
    await writer.close();
    expect((await channel.nextFrame({ id })).type).toBe(PEER_FRAME.streamEnd);
    void channel.sendFrame(PEER_FRAME.streamEnd, id);
    expect((await reader.read()).done).toBe(true);
  });

  test('that is given up sends StreamAbort', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    const controller = new AbortController();
    const answer = client.fetch('/slow', { signal: controller.signal });
    const { id } = await channel.nextRequest();
    controller.abort();
    await expect(answer).rejects.toThrow('aborted');
    expect(await channel.nextJson({ id, type: PEER_FRAME.streamAbort })).toEqual({
      reason: expect.any(String),
    });
    channel.respond(id, { status: 200 }, 'late');
    await expectAlive(client, channel);
  });

  test('whose answer is discarded sends StreamAbort', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    const answering = client.fetch('/endless');
    const { id } = await channel.nextRequest();
    void channel.sendFrame(PEER_FRAME.httpResponse, id, { status: 200, headers: {} });
    void channel.sendFrame(PEER_FRAME.httpBody, id, 'and so on');
    await (await answering).body?.cancel();
    await channel.nextFrame({ id, type: PEER_FRAME.streamAbort });
    await expectAlive(client, channel);
  });
});

describe('an answer', () => {
  test.each([200, 204, 304, 404, 500])('has status %i and its headers', async (status) => {
    const { open, client } = await makeWorld();
    const channel = await open();
    const answering = client.fetch('/x', { redirect: 'manual' });
    const { id } = await channel.nextRequest();
    const headers = { 'x-one': '1', 'set-cookie': ['a=1; Path=/', 'b=2'] };
    channel.respond(id, { status, headers });
    const answer = await answering;
    expect([answer.status, answer.headers.get('x-one'), await answer.text()]).toEqual([status, '1', '']);
  });

  test('below the Fetch API keeps each cookie apart', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    const answering = client.request({ method: 'GET', path: '/x', query: '', headers: {} });
    const { id } = await channel.nextRequest();
    channel.respond(id, { status: 200, headers: { 'set-cookie': ['a=1; Path=/', 'b=2'] } });
    expect((await answering).headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2']);
  });

  test('that is large arrives whole, in batches and alone', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    const answering = client.fetch('/down');
    const { id } = await channel.nextRequest();
    const bytes = 3_000_000;
    void channel.sendFrame(PEER_FRAME.httpResponse, id, { status: 200, headers: {} });
    const pieces = [...patternPieces(bytes, 20_000)];
    for (let at = 0; at < pieces.length; at += 4) {
      const [alone, ...rest] = pieces.slice(at, at + 4);
      void channel.sendFrame(PEER_FRAME.httpBody, id, alone);
      if (rest.length === 0) continue;
      void channel.sendBatch(rest.map((payload) => ({ type: PEER_FRAME.httpBody, id, payload })));
    }
    void channel.sendFrame(PEER_FRAME.streamEnd, id);
    const body = Buffer.from(await (await answering).arrayBuffer());
    expect(createHash('sha256').update(body).digest('hex')).toBe(patternSha256(bytes));
  });

  test('that the Host gives up rejects, before its head and within its body', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    const early = client.fetch('/x');
    void channel.sendFrame(PEER_FRAME.streamAbort, (await channel.nextRequest()).id, { reason: 'no origin' });
    await expect(early).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_ABORTED_BY_HOST' });
    const late = client.fetch('/y');
    const { id } = await channel.nextRequest();
    void channel.sendFrame(PEER_FRAME.httpResponse, id, { status: 200, headers: {} });
    void channel.sendFrame(PEER_FRAME.httpBody, id, 'half');
    void channel.sendFrame(PEER_FRAME.streamAbort, id, { reason: 'broke' });
    await expect((await late).text()).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_ABORTED_BY_HOST' });
    await expectAlive(client, channel);
  });
});

describe('frames that belong to nobody are ignored', () => {
  test('late ones, of unknown streams, even ids and unknown types', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    await expectAlive(client, channel);
    for (const id of [1, 2, 99]) {
      void channel.sendFrame(PEER_FRAME.httpBody, id, 'late');
      void channel.sendFrame(PEER_FRAME.streamEnd, id);
      void channel.sendFrame(PEER_FRAME.streamAbort, id, { reason: 'late' });
      void channel.sendFrame(PEER_FRAME.wsText, id, 'late');
      void channel.sendFrame(PEER_FRAME.wsClose, id, { code: 1000, reason: '' });
    }
    void channel.sendFrame(42, 0, 'from the future');
    void channel.sendFrame(13, 1, 'from the future');
    await expectAlive(client, channel);
  });

  test('Ping gets Pong on stream 0', async () => {
    const { open } = await makeWorld();
    const channel = await open();
    void channel.sendFrame(PEER_FRAME.ping, 0);
    expect(await channel.nextFrame()).toMatchObject({ type: PEER_FRAME.pong, id: 0 });
  });
});

describe('keepalive', () => {
  test('a Client idle for 30 s sends Ping on stream 0, and not a ms before', async () => {
    const clock = standingClock();
    const { open, client } = await makeWorld({ clock });
    const channel = await open();
    for (let time = 0; time < 3; time += 1) {
      clock.advance(29_999);
      await expectAlive(client, channel);
      expect(channel.pingCount).toBe(0);
    }
    channel.answersPings = false;
    clock.advance(30_000);
    const ping = await channel.nextFrame({ type: PEER_FRAME.ping });
    expect(ping).toMatchObject({ type: PEER_FRAME.ping, id: 0, payload: Buffer.alloc(0) });
  });

  test.each([PEER_FRAME.pong, PEER_FRAME.streamEnd])('any frame answers it (type %i)', async (type) => {
    const clock = standingClock();
    const { open, client } = await makeWorld({ clock });
    const channel = await open();
    channel.answersPings = false;
    for (let time = 0; time < 3; time += 1) {
      clock.advance(30_000);
      await channel.nextFrame({ type: PEER_FRAME.ping });
      clock.advance(14_999);
      void channel.sendFrame(type, 0);
      await expectAlive(client, channel);
    }
  });

  test('without an answer within 15 s the Client makes a new connection', async () => {
    const clock = standingClock();
    const { open, client, statuses } = await makeWorld({ clock, random: () => 0 });
    const channel = await open();
    channel.answersPings = false;
    clock.advance(30_000);
    await channel.nextFrame({ type: PEER_FRAME.ping });
    clock.advance(14_999);
    expect(client.status.state).toBe('connected');
    clock.advance(1);
    await statuses.take({ matches: ({ state }) => state === 'reconnecting' });
  });
});
