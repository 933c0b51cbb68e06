import type { RelayServer } from '@openchambery/relay';
import { type HostHttpStream, PAIRING_SECRET_HEADER } from '@openchambery/tunnel';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRelayClient } from '../../src/create-relay-client.ts';
import type { RelayClient, RelayClientOptions } from '../../src/relay-client.ts';
import { echoHandlers } from '../support/echo-handlers.ts';
import { SmallHost, startRelay } from '../support/relay-and-host.ts';
import { secret } from '../support/scripted-client.ts';
import { soon } from '../support/soon.ts';

/** Far more than lies between Host and Client when nobody reads. */
const FLOOD_BYTES = 64 * 1024 * 1024;

let relay: RelayServer;
let host: SmallHost;
const held: HostHttpStream[] = [];
const clients: RelayClient[] = [];

beforeAll(async () => {
  relay = await startRelay();
  const hold = async (stream: HostHttpStream): Promise<void> => void held.push(stream);
  host = await SmallHost.start(relay, echoHandlers({ '/hold': hold }));
});

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

afterAll(async () => {
  host.stop();
  await relay.close();
});

function connect(options: Partial<RelayClientOptions> = {}): RelayClient {
  const client = createRelayClient({ ...host.pairing, ...options });
  clients.push(client);
  return client;
}

/** The Host's end of the newest request to `/hold`. */
async function heldStream(): Promise<HostHttpStream> {
  await soon(() => held.length).toBeGreaterThan(0);
  return held.pop() as HostHttpStream;
}

describe('requests', () => {
  it('reach the Host with the secret', async () => {
    const client = connect({ secret });
    const response = await client.fetch('/mirror?a=b', {
      method: 'POST',
      body: 'hello',
      headers: { 'x-y': 'z' },
    });
    expect(await response.json()).toEqual({
      method: 'POST',
      path: '/mirror',
      query: 'a=b',
      headers: {
        accept: '*/*',
        'content-type': 'text/plain;charset=UTF-8',
        'x-y': 'z',
        [PAIRING_SECRET_HEADER]: secret,
      },
      body: 'hello',
    });
    expect(client.traffic.sentBytes).toBeGreaterThan(0);
  });

  it('may be many at once', async () => {
    const client = connect();
    const answers = Array.from({ length: 100 }, async (_, index) => {
      const response = await client.fetch('/echo', { method: 'POST', body: `body ${index}` });
      return await response.text();
    });
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 100 }, (_, index) => `body ${index}`));
    expect(client.traffic.openStreams).toBe(0);
  });

  it('stream both ways at once', async () => {
    let turn: (text: string) => void = () => undefined;
    let finish: () => void = () => undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        turn = (text) => controller.enqueue(Buffer.from(text));
        finish = () => controller.close();
      },
    });
    const response = await connect().fetch('/echo', { method: 'POST', body, duplex: 'half' });
    const reader = response.body?.getReader();
    for (const text of ['one', 'two', 'three']) {
      turn(text);
      const chunk = await reader?.read();
      expect(Buffer.from(chunk?.value ?? []).toString()).toBe(text);
    }
    finish();
    expect(await reader?.read()).toMatchObject({ done: true });
  });

  it('carry large bodies both ways', async () => {
    const sent = crypto.getRandomValues(new Uint8Array(65_536));
    const blob = new Blob(Array.from({ length: 160 }, () => sent));
    const response = await connect().fetch('/echo', { method: 'PUT', body: blob });
    const received = Buffer.from(await response.arrayBuffer());
    expect(received.length).toBe(10_485_760);
    expect(received.equals(Buffer.from(await blob.arrayBuffer()))).toBe(true);
  });

  it('tell the Host when they are aborted, before and after the head', async () => {
    const client = connect();
    for (const isAnswered of [false, true]) {
      const controller = new AbortController();
      const answer = client.fetch('/hold', { signal: controller.signal });
      answer.catch(() => undefined);
      const stream = await heldStream();
      if (isAnswered) {
        stream.respond({ status: 200, headers: {} });
        await answer;
      }
      controller.abort();
      await soon(() => stream.signal.aborted).toBe(true);
    }
  });

  it('hear why the Host gave up', async () => {
    const answer = connect().fetch('/hold');
    answer.catch(() => undefined);
    (await heldStream()).abort('origin refused the connection');
    await expect(answer).rejects.toMatchObject({
      code: 'ERR_RELAY_CLIENT_ABORTED_BY_HOST',
      reason: 'origin refused the connection',
    });
  });

  it('have raw heads and bytes below fetch', async () => {
    const client = connect();
    const head = { method: 'GET', path: '/zeros', query: '70000', headers: { 'X-A': 'b' } };
    const { status, body } = await client.request(head);
    expect(status).toBe(200);
    let length = 0;
    for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read())
      length += chunk.length;
    expect(length).toBe(70_000);
    const given = await client.request(head);
    given.abort('enough');
    await expect(given.body.read()).rejects.toThrow('gave up');
    await soon(() => client.traffic.openStreams).toBe(0);
    await expect(client.request({ ...head, method: 'a b' })).rejects.toThrow(TypeError);
    await expect(client.request({ ...head, path: 'x' })).rejects.toThrow(TypeError);
  });

  it('hold the Host back while nobody reads, and one another not at all', async () => {
    const client = connect();
    const response = await client.fetch('/hold-back').catch(() => undefined);
    expect(response?.status).toBe(404);
    let written = 0;
    const answer = client.fetch('/hold');
    const output = (await heldStream()).respond({ status: 200, headers: {} });
    const flood = (async () => {
      const piece = new Uint8Array(65_536);
      while (written < FLOOD_BYTES) {
        written += piece.length;
        if (output?.write(piece) === false) await output.drained();
      }
      output?.end();
    })();
    const body = (await answer).body?.getReader();
    let before = -1;
    await soon(() => {
      const isStill = written === before;
      before = written;
      return isStill;
    }, 300).toBe(true);
    // Unread here, in the relay, in the sockets of the system between them.
    expect(written).toBeLessThan(FLOOD_BYTES / 2);
    let read = 0;
    for (let piece = await body?.read(); piece?.done === false; piece = await body?.read())
      read += piece.value.length;
    await flood;
    expect(read).toBe(FLOOD_BYTES);
  });
});

describe('WebSockets', () => {
  it('echo text and bytes in order, and close with the code given', async () => {
    const socket = new (connect().WebSocket)('/socket?q', ['one', 'two']);
    socket.binaryType = 'arraybuffer';
    const events: unknown[] = [];
    const closed = new Promise<void>((resolve) => {
      socket.onopen = () => {
        events.push(['open', socket.protocol]);
        socket.send('text');
        socket.send(new Blob(['blob']));
        socket.send(new Uint8Array([1, 2]));
        socket.send('x'.repeat(200_000));
        socket.send('close');
      };
      socket.onmessage = ({ data }: MessageEvent) => {
        events.push(
          typeof data === 'string' ? data.slice(0, 4) : Buffer.from(data as ArrayBuffer).toString('latin1'),
        );
      };
      socket.onclose = ({ code, reason, wasClean }) => {
        events.push([code, reason, wasClean]);
        resolve();
      };
    });
    await closed;
    expect(events).toEqual([
      ['open', 'one'],
      'text',
      'blob',
      '\u0001\u0002',
      'xxxx',
      [3000, 'as you wish', true],
    ]);
    expect(socket.url).toBe('ws://tunnel.invalid/socket?q');
  });

  it('close with 1006 when the Host refuses, and say why', async () => {
    const socket = new (connect().WebSocket)('/refused');
    const errors: (Event & { error?: unknown })[] = [];
    socket.onerror = (error) => void errors.push(error);
    const close = await new Promise<CloseEvent>((resolve) => {
      socket.onclose = resolve;
    });
    expect(close).toMatchObject({ code: 1006, wasClean: false });
    expect(errors).toMatchObject([
      { error: { code: 'ERR_RELAY_CLIENT_ABORTED_BY_HOST', reason: 'not here' } },
    ]);
  });

  it('close with 1012 when the connection breaks, and with 1001 when the Client is closed', async () => {
    const client = connect();
    for (const [code, end] of [
      [1012, () => host.sockets.at(-1)?.terminate()],
      [1001, () => client.close()],
    ] as const) {
      const socket = new client.WebSocket('/socket');
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      const closed = new Promise<CloseEvent>((resolve) => {
        socket.onclose = resolve;
      });
      end();
      expect((await closed).code).toBe(code);
      expect(socket.readyState).toBe(socket.CLOSED);
    }
  });
});
