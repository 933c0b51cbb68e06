import type { RelayServer } from '@openchambery/relay';
import type { HostHttpStream } from '@openchambery/tunnel';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { resolveClientOptions } from '../../src/client-options.ts';
import { attemptStarter } from '../../src/connection/attempt.ts';
import { tunnelOpener } from '../../src/connection/open-tunnel.ts';
import { assembleClient } from '../../src/create-relay-client.ts';
import type { RelayClient, RelayClientOptions } from '../../src/relay-client.ts';
import type { Dial } from '../../src/transport/dial.ts';
import { dialWebSocket } from '../../src/transport/web-socket.ts';
import { dialWebSocketStream } from '../../src/transport/web-socket-stream.ts';
import { echoHandlers } from '../support/echo-handlers.ts';
import { SmallHost, startRelay } from '../support/relay-and-host.ts';
import { soon } from '../support/soon.ts';
import { TestWebSocketStream } from '../support/web-socket-stream.ts';

/** Far more than lies between Host and Client when nobody reads. */
const FLOOD_BYTES = 64 * 1024 * 1024;

let relay: RelayServer;
let host: SmallHost;
const held: HostHttpStream[] = [];
const clients: RelayClient[] = [];

beforeAll(async () => {
  vi.stubGlobal('WebSocketStream', TestWebSocketStream);
  relay = await startRelay();
  const hold = async (stream: HostHttpStream): Promise<void> => void held.push(stream);
  host = await SmallHost.start(relay, echoHandlers({ '/hold': hold, '/sink': swallow }));
});

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

afterAll(async () => {
  host.stop();
  await relay.close();
  vi.unstubAllGlobals();
});

async function swallow({ body }: HostHttpStream): Promise<void> {
  while ((await body.read()) !== undefined);
}

function connect(
  dial: Dial,
  options: Partial<RelayClientOptions> = {},
  maxUnreadBytes?: number,
): RelayClient {
  const resolved = resolveClientOptions({ ...host.pairing, ...options });
  const openTunnel = tunnelOpener({ ...resolved, importAeadKey: undefined, maxUnreadBytes });
  const { clock, dialUrl: url } = resolved;
  const client = assembleClient(resolved, attemptStarter({ url, dial, openTunnel, clock }));
  clients.push(client);
  return client;
}

/** Starts a flood on a held request. @returns how much the Host has written so far. */
function flood(stream: HostHttpStream): () => number {
  const output = stream.respond({ status: 200, headers: {} });
  let written = 0;
  const write = async (): Promise<void> => {
    const piece = new Uint8Array(65_536);
    while (written < FLOOD_BYTES && !stream.signal.aborted) {
      written += piece.length;
      if (output?.write(piece) === false) await output.drained();
    }
  };
  write().catch(() => undefined);
  return () => written;
}

async function heldStream(): Promise<HostHttpStream> {
  await soon(() => held.length).toBeGreaterThan(0);
  return held.pop() as HostHttpStream;
}

describe.each([
  ['WebSocket', dialWebSocket],
  ['WebSocketStream', dialWebSocketStream],
] as const)('a page with %s', (_name, dial) => {
  it('fetches, large bodies both ways too', async () => {
    const client = connect(dial);
    const bytes = crypto.getRandomValues(new Uint8Array(65_536));
    const blob = new Blob(Array.from({ length: 64 }, () => bytes));
    const response = await client.fetch('/echo', { method: 'PUT', body: blob });
    const received = Buffer.from(await response.arrayBuffer());
    expect(received.equals(Buffer.from(await blob.arrayBuffer()))).toBe(true);
  });

  it('opens WebSockets', async () => {
    const socket = new (connect(dial).WebSocket)('/socket');
    socket.onopen = () => socket.send('hello');
    const { data } = await new Promise<MessageEvent>((resolve) => {
      socket.onmessage = resolve;
    });
    expect(data).toBe('hello');
  });

  it('learns the relay’s reason', async () => {
    const client = connect(dial, { serverId: 'A'.repeat(43), connectTimeoutMs: 1000 });
    await expect(client.connect()).rejects.toMatchObject({
      code: 'ERR_RELAY_CLIENT_HOST_UNAVAILABLE',
      closeCode: 4008,
    });
  });

  it('learns that nothing answers', async () => {
    const client = connect(dial, { relayUrl: 'ws://127.0.0.1:1/ws', connectTimeoutMs: 500 });
    await expect(client.connect()).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_UNREACHABLE' });
  });

  it('reconnects when the relay’s socket breaks, and WebSockets hear 1012', async () => {
    const client = connect(dial);
    const socket = new client.WebSocket('/socket');
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    const closed = new Promise<CloseEvent>((resolve) => {
      socket.onclose = resolve;
    });
    host.sockets.at(-1)?.terminate();
    expect((await closed).code).toBe(1012);
    expect((await client.fetch('/mirror')).status).toBe(200);
  });

  it('hears of a close in the middle of an upload that never has to wait for its source', async () => {
    const client = connect(dial);
    let pulledBytes = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulledBytes += 65_536;
        if (pulledBytes > FLOOD_BYTES) controller.close();
        else controller.enqueue(new Uint8Array(65_536));
        if (pulledBytes === 64 * 65_536) host.sockets.at(-1)?.close(1000);
      },
    });
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    await expect(client.fetch('/sink', init)).rejects.toMatchObject({
      code: 'ERR_RELAY_CLIENT_CONNECTION_LOST',
    });
    expect(pulledBytes).toBeLessThan(FLOOD_BYTES / 2);
  });

  it('leaves nothing at the relay once it is closed', async () => {
    const client = connect(dial);
    await client.connect();
    client.close();
    await soon(() => relay.snapshot().sockets.client).toBe(0);
  });

  it('may be closed while it dials', async () => {
    const client = connect(dial);
    const connecting = client.connect();
    client.close();
    await expect(connecting).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_CLOSED' });
  });
});

describe('a slow reader', () => {
  it('stops the network where it can be stopped', async () => {
    const client = connect(dialWebSocketStream);
    const answer = client.fetch('/hold');
    const written = flood(await heldStream());
    await answer;
    const { socket } = TestWebSocketStream.made.at(-1) ?? {};
    await soon(() => socket?.isPaused).toBe(true);
    let before = -1;
    const isStill = (): boolean => {
      const isSame = written() === before;
      before = written();
      return isSame;
    };
    await soon(isStill, 300).toBe(true);
    expect(written()).toBeLessThan(FLOOD_BYTES / 2);
  });

  it('is given up where it cannot, and nothing else is', async () => {
    const client = connect(dialWebSocket, {}, 4 * 1024 * 1024);
    const answer = client.fetch('/hold');
    const stream = await heldStream();
    flood(stream);
    const response = await answer;
    await soon(() => stream.signal.aborted).toBe(true);
    await expect(response.arrayBuffer()).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_READER_STALLED' });
    expect((await client.fetch('/mirror')).status).toBe(200);
  });
});
