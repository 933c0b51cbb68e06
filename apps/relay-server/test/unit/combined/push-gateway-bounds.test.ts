import type { RawSocket } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { gatewayScenario as scenario, OK, post } from '../support/push-line.ts';

// What the gateway holds for clients, and leaves in the port to a worker that may not be listening.

const RATE_LIMITED = [429, '{"error":"rate_limited"}', '1'];

async function answerOf(socket: RawSocket): Promise<unknown[]> {
  const { status, body, headers } = await socket.response();
  return [status, body, headers['retry-after']];
}

/** A request of the client with this number, as the proxy in front says. */
function from(client: number): string {
  return post('/v1/push/send', '', `X-Forwarded-For: 192.0.2.${client}\r\n`);
}

describe('a flood', () => {
  it('of 1024 requests is handed on, what is beyond is refused until there is room', async () => {
    const { line, gateway, connect } = await scenario();
    // Node hands on one request of a connection after another; each is answered in its turn.
    await Promise.all(Array.from({ length: 128 }, (_, client) => connect(from(client).repeat(8))));
    await line.received('request', 1024);
    const late = await connect(from(200));
    expect(await answerOf(late)).toEqual(RATE_LIMITED);
    gateway.onMessage({ ...OK, id: line.ofType('request')[0]?.id ?? -1 });
    await late.write(from(200));
    await line.received('request', 1025);
  });

  it('of one client gets 64 places, the others have the rest', async () => {
    const { line, gateway, connect } = await scenario();
    await Promise.all(Array.from({ length: 8 }, () => connect(from(1).repeat(8))));
    await line.received('request', 64);
    const late = await connect(from(1));
    expect(await answerOf(late)).toEqual(RATE_LIMITED);
    await connect(from(2));
    await line.received('request', 65);
    gateway.onMessage({ ...OK, id: line.ofType('request')[0]?.id ?? -1 });
    await late.write(from(1));
    await line.received('request', 66);
  });

  it('is counted by TCP peer where proxies are not trusted', async () => {
    const { line, connect } = await scenario({ trustProxy: 'ignore' });
    await Promise.all(Array.from({ length: 8 }, (_, client) => connect(from(client).repeat(8))));
    await line.received('request', 64);
    expect(await answerOf(await connect(from(99)))).toEqual(RATE_LIMITED);
  });
});

describe('a client beyond its budget', () => {
  it('loses its connection, and the worker hears nothing', async () => {
    const asked: string[] = [];
    const admits = (ip: string): boolean => asked.push(ip) < 2;
    const { line, connect } = await scenario({ admits });
    const socket = await connect(from(1).repeat(2));
    await socket.ended();
    expect(socket.receivedBytes).toBe(0);
    expect([asked, line.ofType('request').length]).toEqual([['192.0.2.1', '192.0.2.1'], 1]);
  });
});

describe('clients that ask and leave', () => {
  it('keep their places until the worker has heard of it', async () => {
    const { line, gateway, connect, clock } = await scenario();
    for (let round = 1; round <= 8; round += 1) {
      const socket = await connect(from(1).repeat(8));
      await line.received('request', 8 * round);
      socket.reset();
      await line.received('gone', 8 * round);
    }
    expect([gateway.size, clock.pendingTimers]).toEqual([0, 0]);
    expect(await answerOf(await connect(from(1)))).toEqual(RATE_LIMITED);
    expect(line.sent).toHaveLength(128);
    gateway.onMessage({ type: 'forgotten', id: line.ofType('gone')[0]?.id ?? -1 });
    gateway.onMessage({ type: 'forgotten', id: line.ofType('gone')[0]?.id ?? -1 });
    await connect(from(1));
    await line.received('request', 65);
    expect(await answerOf(await connect(from(1)))).toEqual(RATE_LIMITED);
  });

  it('have no places any more once the worker is gone', async () => {
    const { line, gateway, connect } = await scenario();
    await Promise.all(Array.from({ length: 8 }, () => connect(from(1).repeat(8))));
    await line.received('request', 64);
    gateway.onLost();
    await connect(from(1));
    await line.received('request', 65);
  });

  it('are waited for by nobody at the end', async () => {
    const { line, gateway, connect } = await scenario();
    const socket = await connect(from(1));
    await line.received('request', 1);
    socket.reset();
    await line.received('gone', 1);
    await gateway.drain();
  });
});

describe('a wait of 30 s for nothing', () => {
  it('keeps the place of its request, too', async () => {
    const { line, gateway, connect, clock } = await scenario();
    const sockets = await Promise.all(Array.from({ length: 8 }, () => connect(from(1).repeat(8))));
    await line.received('request', 64);
    clock.advance(30_000);
    for (const socket of sockets) expect((await socket.response()).status).toBe(500);
    expect(gateway.size).toBe(0);
    const late = await connect(from(1));
    expect(await answerOf(late)).toEqual(RATE_LIMITED);
    gateway.onMessage({ ...OK, id: line.ofType('gone')[0]?.id ?? -1 });
    await late.write(from(1));
    await line.received('request', 65);
  });
});

describe('a body that the worker wants', () => {
  const HEAD = 'POST /v1/push/send HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{';

  it('may take 15 s', async () => {
    const { line, gateway, connect, clock } = await scenario();
    const socket = await connect(HEAD);
    gateway.onMessage({ type: 'body-wanted', id: await line.idOf(1), maxBytes: 9 });
    clock.advance(14_999);
    await socket.write('}');
    expect(Buffer.from((await line.received('body', 1))[0]?.body as Uint8Array).toString()).toBe('{}');
  });

  it('costs its client the connection when it takes longer', async () => {
    const { line, gateway, connect, clock } = await scenario();
    const socket = await connect(HEAD);
    const id = await line.idOf(1);
    gateway.onMessage({ type: 'body-wanted', id, maxBytes: 9 });
    clock.advance(15_000);
    await socket.ended();
    expect(socket.receivedBytes).toBe(0);
    expect(await line.received('gone', 1)).toEqual([{ type: 'gone', id }]);
    expect([gateway.size, clock.pendingTimers]).toEqual([0, 0]);
  });
});
