import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '@openchambery/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createWsTransport, type ByteStream } from '../../src/node/index.ts';
import type { TransportEnd, TunnelTransport } from '../../src/index.ts';

interface Heard {
  readonly messages: (string | Uint8Array)[];
  drains: number;
  readonly ended: Promise<TransportEnd>;
}

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Who frames messages. */
type Framing = 'ws' | 'own';

async function connect(
  framing: Framing,
  clock?: FakeClock,
): Promise<{ transport: TunnelTransport; peer: WebSocket }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  cleanups.push(() => server.close());
  const accepted = once(server, 'connection') as Promise<[WebSocket]>;
  // Said before anybody listens at the other end: often in one segment with the answer to the upgrade.
  server.on('connection', (peer) => peer.send('early'));
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    perMessageDeflate: false,
  });
  cleanups.push(() => socket.terminate());
  let stream: ByteStream | undefined;
  if (framing === 'own') {
    socket.once('upgrade', (response) => {
      stream = response.socket;
    });
  }
  const transport = await new Promise<TunnelTransport>((resolve) => {
    socket.once('open', () => resolve(createWsTransport(socket, { clock, stream })));
  });
  const [peer] = await accepted;
  cleanups.push(() => peer.terminate());
  return { transport, peer };
}

function listen(transport: TunnelTransport): Heard {
  let end: (end: TransportEnd) => void;
  const heard: Heard = {
    messages: [],
    drains: 0,
    ended: new Promise((resolve) => {
      end = resolve;
    }),
  };
  transport.listen({
    onMessage: (message) => void heard.messages.push(message),
    onDrain: () => {
      heard.drains += 1;
    },
    onClose: (how) => end(how),
  });
  return heard;
}

describe.each<Framing>(['ws', 'own'])('with messages framed by %s', (framing) => {
  test('delivers text as text and bytes as bytes, those that came before anybody listened too', async () => {
    const { transport, peer } = await connect(framing);
    await new Promise(setImmediate);
    const heard = listen(transport);
    peer.send('text');
    peer.send(Buffer.from([1, 2]));
    peer.close(4008, 'no such Host');
    expect(await heard.ended).toEqual({ code: 4008, reason: 'no such Host' });
    expect(heard.messages).toEqual(['early', 'text', Buffer.from([1, 2])]);
  });

  test('puts a message together that came in several frames', async () => {
    const { transport, peer } = await connect(framing);
    const heard = listen(transport);
    const message = Uint8Array.from({ length: 65_565 }, (_, index) => index * 7);
    peer.send(message.subarray(0, 1), { fin: false });
    peer.send(message.subarray(1, 60_000), { fin: false });
    peer.send(message.subarray(60_000), { fin: true });
    peer.send('te', { fin: false });
    peer.send('xt', { fin: true });
    peer.close(1000);
    await heard.ended;
    expect(heard.messages).toEqual(['early', Buffer.from(message), 'text']);
  });

  test('leaves messages to whoever listens, however long he keeps them', async () => {
    const { transport, peer } = await connect(framing);
    const heard = listen(transport);
    const sizes = [1, 125, 126, 4095, 4096, 30_000, 65_526, 65_531, 65_532, 65_535, 65_536, 65_565, 120_000];
    const sent = Array.from({ length: 60 }, (_, turn) => sizes[(turn * 5) % sizes.length] ?? 0).map(
      (size, turn) => Buffer.from(Uint8Array.from({ length: size }, (_, index) => index * 7 + turn)),
    );
    const pongs: string[] = [];
    peer.on('pong', (data) => pongs.push(data.toString()));
    for (const [turn, message] of sent.entries()) {
      peer.send(message);
      if (turn % 20 === 0) peer.ping(`ping ${turn}`);
    }
    await expect.poll(() => pongs).toEqual(['ping 0', 'ping 20', 'ping 40']);
    peer.close(1000);
    await heard.ended;
    const hashes = (messages: readonly (string | Uint8Array)[]): string[] =>
      messages.map((message) => createHash('sha256').update(message).digest('hex'));
    expect(hashes(heard.messages.slice(1))).toEqual(hashes(sent));
  });

  test('sends both kinds and says when they have left', async () => {
    const { transport, peer } = await connect(framing);
    const heard = listen(transport);
    const got: [string, boolean][] = [];
    peer.on('message', (data, isBinary) => got.push([(data as Buffer).toString('hex'), isBinary]));
    transport.send('a');
    transport.send(new Uint8Array([0xff, 0]));
    transport.close(1000, '');
    await heard.ended;
    expect(got).toEqual([
      ['61', false],
      ['ff00', true],
    ]);
    expect(heard.drains).toBe(2);
    expect(transport.bufferedBytes).toBe(0);
  });

  test('counts what the network does not take, and stops counting when the socket is gone', async () => {
    const { transport, peer } = await connect(framing);
    const heard = listen(transport);
    peer.pause();
    for (let count = 0; count < 400; count++) transport.send(new Uint8Array(65_565));
    await new Promise(setImmediate);
    expect(transport.bufferedBytes).toBeGreaterThan(1_000_000);
    transport.terminate();
    await heard.ended;
    transport.send('ignored');
  });

  test('counts what a closing socket will never take as waiting', async () => {
    const { transport, peer } = await connect(framing);
    const heard = listen(transport);
    transport.close(1000, '');
    transport.send(new Uint8Array(1000));
    transport.send('four');
    expect(transport.bufferedBytes).toBeGreaterThanOrEqual(1004);
    await heard.ended;
    transport.send(new Uint8Array(500));
    expect(transport.bufferedBytes).toBeGreaterThanOrEqual(1504);
    expect(peer.readyState).toBe(WebSocket.CLOSED);
  });

  test('pauses reading, so that the sender feels it, and goes on without a loss', async () => {
    const { transport, peer } = await connect(framing);
    const heard = listen(transport);
    transport.pauseReading();
    const count = 400;
    for (let index = 0; index < count; index++) peer.send(Buffer.alloc(65_536, index & 0xff));
    peer.send('last');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(peer.bufferedAmount).toBeGreaterThan(1_000_000);
    transport.resumeReading();
    peer.close(1000);
    await heard.ended;
    expect(heard.messages.filter((message) => typeof message !== 'string')).toHaveLength(count);
    expect(heard.messages.at(-1)).toBe('last');
  });

  test('closes with a reason cut to what a close frame holds', async () => {
    const { transport, peer } = await connect(framing);
    const heard = listen(transport);
    transport.close(1011, `x${'é'.repeat(100)}`);
    const [code, reason] = (await once(peer, 'close')) as [number, Buffer];
    expect(code).toBe(1011);
    expect(reason.toString()).toBe(`x${'é'.repeat(61)}`);
    expect((await heard.ended).code).toBe(1011);
  });

  test('closes while reading is paused, and delivers nothing more', async () => {
    const { transport, peer } = await connect(framing);
    const heard = listen(transport);
    transport.pauseReading();
    peer.send('late');
    transport.close(1000, 'done');
    transport.pauseReading();
    expect((await heard.ended).code).toBe(1000);
    expect(heard.messages).not.toContain('late');
  });

  test('destroys a socket whose peer does not answer the close in 5 s', async () => {
    const clock = new FakeClock();
    const { transport, peer } = await connect(framing, clock);
    const heard = listen(transport);
    peer.pause();
    transport.close(1000, '');
    transport.close(1000, 'again');
    clock.advance(4999);
    expect(clock.pendingTimers).toBe(1);
    clock.advance(1);
    expect((await heard.ended).code).toBe(1006);
    expect(clock.pendingTimers).toBe(0);
  });

  test('leaves no timer when the peer answers', async () => {
    const clock = new FakeClock();
    const { transport } = await connect(framing, clock);
    const heard = listen(transport);
    transport.close(1000, '');
    await heard.ended;
    expect(clock.pendingTimers).toBe(0);
  });

  test('tells of an end that came before anybody listened', async () => {
    const { transport, peer } = await connect(framing);
    const gone = once(peer, 'close');
    transport.terminate();
    await gone;
    expect((await listen(transport).ended).code).toBe(1006);
  });

  test('sends messages of all lengths in order', async () => {
    const { transport, peer } = await connect(framing);
    const heard = listen(transport);
    const lengths = [0, 1, 125, 126, 1000, 2048, 65_535, 65_536, 65_565];
    const got: Buffer[] = [];
    peer.on('message', (data) => got.push(data as Buffer));
    for (const length of lengths) transport.send(Buffer.alloc(length, length));
    transport.send('the end €');
    transport.close(1000, '');
    await heard.ended;
    expect(got.at(-1)?.toString()).toBe('the end €');
    expect(got.slice(0, -1).map(({ length }) => length)).toEqual(lengths);
    for (const [index, length] of lengths.entries())
      expect(got[index]?.equals(Buffer.alloc(length, length))).toBe(true);
  });

  test('sends between pongs, whole frame by whole frame', async () => {
    const { transport, peer } = await connect(framing);
    const heard = listen(transport);
    let count = 0;
    peer.on('message', () => {
      count += 1;
    });
    for (let round = 0; round < 50; round++) {
      peer.ping(String(round));
      for (let index = 0; index < 10; index++) transport.send(Buffer.alloc(round * 100 + index));
      await new Promise(setImmediate);
    }
    transport.close(1000, '');
    expect(await heard.ended).toEqual({ code: 1000, reason: '' });
    expect(count).toBe(500);
  });
});
