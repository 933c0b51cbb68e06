import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock, RawSocket, withTimeout } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ToWorker } from '../../../src/combined/messages.ts';
import { PushGateway } from '../../../src/combined/push-gateway.ts';
import type { PushLine } from '../../../src/combined/push-gateway.ts';

type Type = ToWorker['type'];
type Of<T extends Type> = Extract<ToWorker, { type: T }>;

/** A line on whose other end the test sits. */
class ScriptedLine implements PushLine {
  isRunning = true;
  readonly sent: ToWorker[] = [];
  readonly #onSent = new Set<() => void>();

  post(message: ToWorker): void {
    this.sent.push(message);
    for (const check of this.#onSent) check();
  }

  close(): Promise<void> {
    this.isRunning = false;
    return Promise.resolve();
  }

  ofType<T extends Type>(type: T): readonly Of<T>[] {
    return this.sent.filter((message): message is Of<T> => message.type === type);
  }

  /** The `count` messages of a type, once they are there. */
  async received<T extends Type>(type: T, count: number): Promise<readonly Of<T>[]> {
    const complete = new Promise<void>((resolve) => {
      const check = (): void => {
        if (this.ofType(type).length < count) return;
        this.#onSent.delete(check);
        resolve();
      };
      this.#onSent.add(check);
      check();
    });
    await withTimeout(complete, () => `no ${count} messages of type ${type}: ${JSON.stringify(this.sent)}`);
    return this.ofType(type);
  }

  /** The id of the request that came last of `count`. */
  async idOf(count: number): Promise<number> {
    return (await this.received('request', count)).at(-1)?.id ?? -1;
  }
}

async function scenario({ isAnswered = false } = {}) {
  const line = new ScriptedLine();
  const clock = new FakeClock();
  const gateway = new PushGateway(line, clock);
  const server = createServer((request, response) => {
    if (gateway.owns(request)) gateway.handle(request, response);
    else response.writeHead(404).end();
    // As a listener does that has to end a connection.
    if (isAnswered) response.writeHead(418, { 'content-length': 0 }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const connect = async (text: string): Promise<RawSocket> => {
    const socket = await RawSocket.connect({ host: '127.0.0.1', port });
    onTestFinished(() => socket.destroy());
    void socket.write(text);
    return socket;
  };
  return { line, clock, gateway, connect };
}

function post(path: string, body: string, headers = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const OK = {
  type: 'answer',
  status: 200,
  headers: { 'cache-control': 'no-store' },
  body: '{"ok":true}',
} as const;
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
    clock.advance(50_000);
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

describe('a flood', () => {
  it('of 1024 requests is handed on, what is beyond is refused until there is room', async () => {
    const { line, gateway, connect } = await scenario();
    const sockets = await Promise.all(
      Array.from({ length: 128 }, () => connect(post('/v1/push/send', '').repeat(8))),
    );
    // Node hands on one request of a connection after another; each is answered in its turn.
    await line.received('request', 1024);
    const late = await connect(post('/v1/push/send', ''));
    const { status, body, headers } = await late.response();
    expect([status, body, headers['retry-after']]).toEqual([429, '{"error":"rate_limited"}', '1']);
    gateway.onMessage({ ...OK, id: line.ofType('request')[0]?.id ?? -1 });
    await late.write(post('/v1/push/send', ''));
    await line.received('request', 1025);
    for (const socket of sockets) socket.destroy();
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
