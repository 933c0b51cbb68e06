import { describe, expect, it } from 'vitest';
import { gatewayScenario as scenario, OK, post } from '../support/push-line.ts';

const INTERNAL = [500, '{"error":"internal"}'];

describe('a request for push', () => {
  it('is told to the worker as it came, and its answer is written as it is', async () => {
    const { line, gateway, connect } = await scenario();
    const socket = await connect(post('/v1/push/send?x=//%zz', '{}', 'X-Forwarded-For: 192.0.2.1\r\n'));
    const id = await line.idOf(1);
    expect(line.sent).toEqual([
      {
        type: 'request',
        id,
        method: 'POST',
        target: '/v1/push/send?x=//%zz',
        peerAddress: '127.0.0.1',
        forwardedFor: '192.0.2.1',
      },
    ]);
    const headers = { 'cache-control': 'no-store', 'retry-after': '7' };
    gateway.onMessage({ type: 'answer', id, status: 429, headers, body: 'x' });
    const response = await socket.response();
    expect([response.status, response.body]).toEqual([429, 'x']);
    expect(response.headers).toMatchObject({ ...headers, 'content-length': '1' });
    expect(gateway.size).toBe(0);
  });

  it.each(['/v1/push', '/v1/pushx', '/ws', '//v1/push/send'])('is not one for %s', async (target) => {
    const { line, connect } = await scenario();
    const socket = await connect(post(target, ''));
    expect((await socket.response()).status).toBe(404);
    expect(line.sent).toEqual([]);
  });

  it('shows its body when the worker wants it, once', async () => {
    const { line, gateway, connect } = await scenario();
    const socket = await connect(post('/v1/push/send', '{"a":1}'));
    const id = await line.idOf(1);
    gateway.onMessage({ type: 'body-wanted', id, maxBytes: 7 });
    gateway.onMessage({ type: 'body-wanted', id, maxBytes: 7 });
    const [body] = await line.received('body', 1);
    expect(body).toMatchObject({ id });
    expect(Buffer.from(body?.body as Uint8Array).toString()).toBe('{"a":1}');
    gateway.onMessage({ ...OK, id });
    expect((await socket.response()).body).toBe('{"ok":true}');
    expect(line.ofType('body')).toHaveLength(1);
  });

  it('with a body that is too large says so', async () => {
    const { line, gateway, connect } = await scenario();
    await connect(post('/v1/push/send', '{"a":1}'));
    gateway.onMessage({ type: 'body-wanted', id: await line.idOf(1), maxBytes: 6 });
    expect((await line.received('body', 1))[0]?.body).toBe('too-large');
  });

  it('keeps its connection when it is answered without its body', async () => {
    const { line, gateway, connect } = await scenario();
    const socket = await connect(post('/v1/push/send', '{"a":1}') + post('/v1/push/x', ''));
    gateway.onMessage({ ...OK, id: await line.idOf(1) });
    gateway.onMessage({ ...OK, id: await line.idOf(2), body: 'second' });
    expect((await socket.response()).body).toBe('{"ok":true}');
    expect((await socket.response()).body).toBe('second');
  });

  it('whose client goes is forgotten, and the worker hears of it', async () => {
    const { line, gateway, connect, clock } = await scenario();
    const socket = await connect(post('/v1/push/send', ''));
    const id = await line.idOf(1);
    socket.reset();
    expect(await line.received('gone', 1)).toEqual([{ type: 'gone', id }]);
    expect([gateway.size, clock.pendingTimers]).toEqual([0, 0]);
    gateway.onMessage({ type: 'body-wanted', id, maxBytes: 9 });
    gateway.onMessage({ ...OK, id });
    expect(line.ofType('body')).toEqual([]);
  });

  it('whose client goes in the middle of its body is forgotten', async () => {
    const { line, gateway, connect } = await scenario();
    const socket = await connect('POST /v1/push/send HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"a"');
    gateway.onMessage({ type: 'body-wanted', id: await line.idOf(1), maxBytes: 9 });
    socket.reset();
    await line.received('gone', 1);
    expect(gateway.size).toBe(0);
  });
});

describe('an answer', () => {
  it('that HTTP does not allow is told to whoever brought it', async () => {
    const { line, gateway, connect } = await scenario();
    const socket = await connect(post('/v1/push/send', ''));
    const id = await line.idOf(1);
    expect(() => gateway.onMessage({ ...OK, id, headers: { 'bad name': 'x' } })).toThrow(TypeError);
    expect(gateway.size).toBe(0);
    socket.destroy();
  });

  it('to a request that has one already is left out', async () => {
    const { line, gateway, connect } = await scenario({ isAnswered: true });
    const socket = await connect(post('/v1/push/send', ''));
    gateway.onMessage({ ...OK, id: await line.idOf(1) });
    expect((await socket.response()).status).toBe(418);
    expect(gateway.size).toBe(0);
  });
});

describe('an answer that does not come', () => {
  it('is 500 after 30 s, and the worker hears that nobody waits', async () => {
    const { line, gateway, connect, clock } = await scenario();
    const socket = await connect(post('/v1/push/send', ''));
    const id = await line.idOf(1);
    clock.advance(29_999);
    expect(gateway.size).toBe(1);
    clock.advance(1);
    const { status, body, headers } = await socket.response();
    expect([status, body]).toEqual(INTERNAL);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' });
    expect(line.ofType('gone')).toEqual([{ type: 'gone', id }]);
    gateway.onMessage({ ...OK, id });
  });

  it('may take that long again after a body that took its time', async () => {
    const { line, gateway, connect, clock } = await scenario();
    const socket = await connect('POST /v1/push/send HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{');
    const id = await line.idOf(1);
    clock.advance(20_000);
    gateway.onMessage({ type: 'body-wanted', id, maxBytes: 9 });
    clock.advance(14_999);
    await socket.write('}');
    await line.received('body', 1);
    clock.advance(29_999);
    expect(gateway.size).toBe(1);
    clock.advance(1);
    expect((await socket.response()).status).toBe(500);
  });

  it('of a worker that died is 500 at once, for all', async () => {
    const { line, gateway, connect, clock } = await scenario();
    const sockets = await Promise.all([1, 2, 3].map(() => connect(post('/v1/push/send', ''))));
    await line.received('request', 3);
    gateway.onLost();
    for (const socket of sockets) {
      const { status, body } = await socket.response();
      expect([status, body]).toEqual(INTERNAL);
    }
    expect([gateway.size, clock.pendingTimers]).toEqual([0, 0]);
  });
});

describe('without a worker', () => {
  it('a request is answered with 500', async () => {
    const { line, connect } = await scenario();
    line.isRunning = false;
    const socket = await connect(post('/v1/push/send', ''));
    const { status, body, headers } = await socket.response();
    expect([status, body, headers['cache-control']]).toEqual([...INTERNAL, 'no-store']);
    expect(line.sent).toEqual([]);
  });
});

describe('the shutdown', () => {
  it('begins with refusals, and ends when what was under way is answered', async () => {
    const { line, gateway, connect } = await scenario();
    const early = await connect(post('/v1/push/send', '{"a":1}'));
    const id = await line.idOf(1);
    let isDrained = false;
    const drained = gateway.drain().then(() => (isDrained = true));
    const late = await connect(post('/v1/push/send', ''));
    const { status, body, headers } = await late.response();
    expect([status, body, headers['cache-control']]).toEqual([503, '{"error":"shutting_down"}', 'no-store']);
    expect(line.ofType('request')).toHaveLength(1);
    gateway.onMessage({ type: 'body-wanted', id, maxBytes: 7 });
    await line.received('body', 1);
    expect(isDrained).toBe(false);
    gateway.onMessage({ ...OK, id });
    await drained;
    expect((await early.response()).status).toBe(200);
  });

  it('refuses what the worker has not answered when it ends', async () => {
    const { line, gateway, connect } = await scenario();
    const socket = await connect(post('/v1/push/send', ''));
    await line.idOf(1);
    const drained = gateway.drain();
    gateway.onLost();
    await drained;
    expect((await socket.response()).status).toBe(503);
  });

  it('refuses after 5.8 s what the worker has not answered', async () => {
    const { line, gateway, connect, clock } = await scenario();
    const socket = await connect(post('/v1/push/send', ''));
    await line.idOf(1);
    const drained = gateway.drain();
    clock.advance(5799);
    expect(gateway.size).toBe(1);
    clock.advance(1);
    await drained;
    expect((await socket.response()).body).toBe('{"error":"shutting_down"}');
    expect(clock.pendingTimers).toBe(0);
  });

  it('is over at once when nothing is under way', async () => {
    const { gateway, line } = await scenario();
    await gateway.drain();
    expect(line.isRunning).toBe(false);
  });
});
