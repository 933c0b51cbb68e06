import type { TunnelHostChannel } from '@openchambery/testkit';
import { encodePeerFrame, PEER_FRAME, singlePlaintext } from '@openchambery/testkit';
import { describe, expect, test } from 'vitest';
import { RelayClientError } from '../../src/index.ts';
import { expectAlive, makeWorld, standingClock } from './world.ts';

describe('hello and ready', () => {
  test('hello has the version, an ephemeral key, 16 random bytes and the offer to batch', async () => {
    const { accept } = await makeWorld();
    const { text } = await (await accept()).nextHello();
    const hello = JSON.parse(text) as { clientPubJwk: object; nonce: string };
    expect(hello).toEqual({
      t: 'hello',
      v: 1,
      clientPubJwk: {
        kty: 'EC',
        crv: 'P-256',
        x: expect.stringMatching(/^[\w-]{43}$/),
        y: expect.stringMatching(/^[\w-]{43}$/),
      },
      nonce: expect.stringMatching(/^[\w-]{22}$/),
      batch: true,
    });
  });

  test('key and nonce are new for each connection', async () => {
    const { accept, host } = await makeWorld();
    const first = await accept();
    const before = await first.nextHello();
    first.peer.terminate();
    await host.relaySide.nextId('disconnected');
    const hello = await (await accept()).nextHello();
    expect(hello.clientPubJwk.x).not.toBe(before.clientPubJwk.x);
    expect(hello.nonce).not.toBe(before.nonce);
  });

  test('hello is sent again each second, the same one, until it is answered', async () => {
    const clock = standingClock();
    const { accept, client } = await makeWorld({ clock });
    const channel = await accept();
    const hello = await channel.nextHello();
    for (let time = 0; time < 5; time += 1) {
      clock.advance(999);
      await channel.peer.roundTrip();
      expect(channel.texts.size).toBe(0);
      clock.advance(1);
      expect((await channel.nextHello()).text).toBe(hello.text);
    }
    channel.answer(hello);
    await client.connect();
    clock.advance(5000);
    await expectAlive(client, channel);
    expect(channel.texts.size).toBe(0);
  });

  test('a Client gives up after 30 s without an answer, and not a ms before', async () => {
    const clock = standingClock();
    const { accept, client, statuses, closeCode } = await makeWorld({ clock, connectTimeoutMs: 60_000 });
    const channel = await accept();
    await channel.nextHello();
    for (let second = 1; second < 30; second += 1) {
      clock.advance(1000);
      await channel.nextHello();
    }
    clock.advance(999);
    expect(client.status.state).toBe('connecting');
    clock.advance(1);
    const status = await statuses.take({ matches: ({ state }) => state === 'reconnecting' });
    if (status.state !== 'reconnecting') throw new Error('taken for its state');
    expect(status.error.code).toBe('ERR_RELAY_CLIENT_HANDSHAKE');
    await closeCode();
  });

  test('unknown members of ready are ignored', async () => {
    const { open, client } = await makeWorld();
    const channel = await open({ extra: { host: 'x', features: [1] } });
    await expectAlive(client, channel);
  });

  test.each([{ batch: undefined }, { batch: false }])(
    'without an agreement (%j) frames go bare',
    async (extra) => {
      const { open, client } = await makeWorld();
      const channel = await open({ batch: false, extra });
      await expectAlive(client, channel);
      expect(channel.isBatching).toBe(false);
    },
  );

  test('ready may come again at any time', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    for (let time = 0; time < 3; time += 1) {
      await channel.sendRaw('{"t":"ready","v":1,"batch":true}');
      await expectAlive(client, channel);
    }
  });

  test.each(['hi', '', '{}', '[]', 'null', '{"t":"other"}', '{"t":"ready"'])(
    'text that is no handshake message is ignored before it: %j',
    async (text) => {
      const { accept, client } = await makeWorld();
      const channel = await accept();
      await channel.sendRaw(text);
      await channel.handshake();
      await client.connect();
      await expectAlive(client, channel);
    },
  );

  test('a Host that has another key than the pairing says can neither read nor be read', async () => {
    const { open, client, closeCode } = await makeWorld({
      hostEncPubJwk: {
        kty: 'EC',
        crv: 'P-256',
        x: 'UVw9brnjlrkE0_7Kf1T9zQzB6Ze_N13KUVrQpsO0A18',
        y: 'RTa-OlDzGPv5pUdZAqIhUCvvDVfgjFOyzApW8X2fk1Q',
      },
    });
    const answer = client.fetch('/secret', { method: 'POST' }).catch((error: unknown) => error);
    const channel = await open();
    await expect(channel.nextRequest()).rejects.toThrow('authenticate');
    void channel.sendFrame(PEER_FRAME.pong, 0);
    expect(await closeCode()).toBe(1011);
    expect(await answer).toBeInstanceOf(RelayClientError);
  });
});

describe('fail closed', () => {
  test.each(['hi', '{}', '', '{"t":"hello","v":1}', '{"t":"ping"}'])(
    'plaintext after establishment: 1011 (%j)',
    async (text) => {
      const { open, closeCode } = await makeWorld();
      await (await open()).sendRaw(text);
      expect(await closeCode()).toBe(1011);
    },
  );

  test.each([0, 1, 29, 100])('ciphertext before establishment: 1011 (%i bytes)', async (bytes) => {
    const { accept, closeCode } = await makeWorld();
    await (await accept()).sendRaw(Buffer.alloc(bytes, 1));
    expect(await closeCode()).toBe(1011);
  });

  const PONG = singlePlaintext(encodePeerFrame({ type: PEER_FRAME.pong, id: 0 }), true);

  test.each([
    ['in the version byte', 0],
    ['in the IV prefix', 1],
    ['in the counter', 12],
    ['in the ciphertext', 13],
    ['in the tag', 34],
  ])('a damaged bit %s: 1011', async (_name, at) => {
    const { open, closeCode } = await makeWorld();
    const channel = await open();
    const sealed = channel.seal(PONG);
    sealed[at] = (sealed[at] ?? 0) ^ 1;
    await channel.sendRaw(sealed);
    expect(await closeCode()).toBe(1011);
  });

  test.each<[string, (channel: TunnelHostChannel) => Buffer]>([
    ['that came before', (channel) => channel.seal(PONG, { counter: channel.sentCounter })],
    ['under another key', (channel) => channel.seal(PONG, { key: Buffer.alloc(32) })],
    ['under counter 0', (channel) => channel.seal(PONG, { counter: 0n })],
    ['without a plaintext', (channel) => channel.seal(Buffer.alloc(0))],
    ['with an unknown envelope', (channel) => channel.seal(Buffer.from([2, 12, 0, 0, 0, 0]))],
    ['with a frame of four bytes', (channel) => channel.seal(Buffer.from([0, 12, 0, 0, 0]))],
    ['with a batch cut short', (channel) => channel.seal(Buffer.from([1, 0, 0, 0, 6, 12]))],
    ['that is cut short', (channel) => channel.seal(PONG).subarray(0, 28)],
    ['that is empty', () => Buffer.alloc(0)],
  ])('a message %s: 1011', async (_name, make) => {
    const { open, client, closeCode } = await makeWorld();
    const channel = await open();
    await expectAlive(client, channel);
    await channel.sendRaw(make(channel));
    expect(await closeCode()).toBe(1011);
  });

  test('counters only have to rise', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    for (const counter of [5n, 6n, 2n ** 53n + 1n, 2n ** 64n - 100n]) {
      await channel.sendRaw(channel.seal(PONG, { counter }));
    }
    const answer = client.fetch('/x', { method: 'POST' });
    const { id } = await channel.nextRequest();
    const frames = [
      { type: PEER_FRAME.httpResponse, id, payload: { status: 204, headers: {} } },
      { type: PEER_FRAME.streamEnd, id },
    ];
    for (const [index, frame] of frames.entries()) {
      const plaintext = singlePlaintext(encodePeerFrame(frame), true);
      await channel.sendRaw(channel.seal(plaintext, { counter: 2n ** 64n - 50n + BigInt(index) }));
    }
    expect((await answer).status).toBe(204);
  });

  test('what was under way fails when the channel does', async () => {
    const { open, client } = await makeWorld();
    const channel = await open();
    const answer = client.fetch('/x', { method: 'POST', body: 'once' });
    await channel.nextRequest();
    await channel.sendRaw('plaintext');
    const error: unknown = await answer.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RelayClientError);
    expect((error as RelayClientError).code).toBe('ERR_RELAY_CLIENT_CONNECTION_LOST');
  });
});
