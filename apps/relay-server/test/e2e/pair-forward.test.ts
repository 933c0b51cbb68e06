import { randomBytes } from 'node:crypto';
import { encodeFrame, opcodes } from '@openchambery/testkit';
import type { Peer } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { halfRawPair, rawPair } from './support/raw-pair.ts';
import { roomy, useRelay } from './support/relay.ts';
import { connectHost, connectPair, expectFlows } from './support/sockets.ts';

// Layer 1 §6: every message verbatim, in order, both directions; pings stay on their hop.

const relay = useRelay({ limits: roomy });
const legs = ['client', 'host-data'] as const;

async function expectForwarded(from: Peer, to: Peer, message: string | Buffer): Promise<void> {
  void from.send(message);
  const got = await to.message();
  expect(got.isBinary).toBe(typeof message !== 'string');
  expect(got.data.equals(Buffer.from(message))).toBe(true);
}

describe('messages of every size class', () => {
  const sizes = [0, 1, 125, 126, 127, 65_535, 65_536, 131_071, 131_072];

  it.each(sizes)('of %d bytes pass as text and as binary in both directions', async (size) => {
    const { client, data } = await connectPair(relay, await connectHost(relay));
    for (const message of [randomBytes(size), 'x'.repeat(size)]) {
      await expectForwarded(client, data, message);
      await expectForwarded(data, client, message);
    }
  });

  it('keep their order and their borders when they come in a burst', async () => {
    const { client, data } = await connectPair(relay, await connectHost(relay));
    const messages = Array.from({ length: 600 }, (_, i) => {
      const size = [0, 1, 7, 125, 126, 900, 5000, 65_536][i % 8] ?? 0;
      return i % 3 === 0 ? `${i}:`.padEnd(size, 't') : Buffer.alloc(size, i);
    });
    const run = async (from: Peer, to: Peer): Promise<void> => {
      for (const message of messages) void from.send(message);
      for (const message of messages) {
        const got = await to.message();
        expect(got.isBinary).toBe(typeof message !== 'string');
        expect(got.data.equals(Buffer.from(message))).toBe(true);
      }
    };
    await Promise.all([run(client, data), run(data, client)]);
  });

  it('pass as text with letters of every length', async () => {
    const { client, data } = await connectPair(relay, await connectHost(relay));
    await expectForwarded(client, data, 'aé€😀\u0000\u2028');
    await expectForwarded(data, client, '😀'.repeat(32_768));
  });
});

describe.each(legs)('fragmented messages from the %s leg', (leg) => {
  it('arrive as one message', async () => {
    const { raw, peer } = await halfRawPair(relay, await connectHost(relay), leg);
    void raw.send({ opcode: opcodes.text, payload: 'one ', fin: false });
    void raw.send({ opcode: opcodes.continuation, payload: '', fin: false });
    void raw.send({ opcode: opcodes.continuation, payload: 'two ', fin: false });
    void raw.send({ opcode: opcodes.continuation, payload: 'three' });
    expect(await peer.text()).toBe('one two three');
    void raw.send({ opcode: opcodes.binary, payload: Buffer.alloc(70_000, 1), fin: false });
    void raw.send({ opcode: opcodes.continuation, payload: Buffer.alloc(61_072, 2) });
    const { data, isBinary } = await peer.message();
    expect([data.length, isBinary]).toEqual([131_072, true]);
    expect(data.equals(Buffer.concat([Buffer.alloc(70_000, 1), Buffer.alloc(61_072, 2)]))).toBe(true);
  });

  it('may be cut into single bytes, and inside a letter', async () => {
    const { raw, peer } = await halfRawPair(relay, await connectHost(relay), leg);
    const text = Buffer.from('a😀é');
    for (const [i, byte] of text.entries()) {
      void raw.send({
        opcode: i === 0 ? opcodes.text : opcodes.continuation,
        payload: Buffer.from([byte]),
        fin: i === text.length - 1,
      });
    }
    expect(await peer.text()).toBe('a😀é');
  });

  it('may have pings and pongs between their fragments, which stay on the hop', async () => {
    const { raw, peer } = await halfRawPair(relay, await connectHost(relay), leg);
    void raw.send({ opcode: opcodes.text, payload: 'before ', fin: false });
    void raw.send({ opcode: opcodes.ping, payload: 'are you there' });
    const pong = await raw.frameOf([opcodes.pong]);
    expect(pong.payload.toString()).toBe('are you there');
    void raw.send({ opcode: opcodes.pong, payload: 'unasked' });
    void raw.send({ opcode: opcodes.continuation, payload: 'after' });
    expect(await peer.text()).toBe('before after');
    expect(peer.pings).toEqual([]);
    expect(peer.pongs.total).toBe(0);
  });

  it('do not mix with the messages of the other direction', async () => {
    const { raw, peer } = await halfRawPair(relay, await connectHost(relay), leg);
    void raw.send({ opcode: opcodes.binary, payload: Buffer.alloc(10, 1), fin: false });
    void peer.send('whole');
    expect((await raw.message()).data.toString()).toBe('whole');
    void raw.send({ opcode: opcodes.continuation, payload: Buffer.alloc(10, 2) });
    expect((await peer.message()).data.length).toBe(20);
  });
});

describe.each(legs)('bytes from the %s leg', (leg) => {
  it('may come one at a time', async () => {
    const { raw, peer } = await halfRawPair(relay, await connectHost(relay), leg);
    const bytes = Buffer.concat([
      encodeFrame({ opcode: opcodes.text, payload: 'slow' }),
      encodeFrame({ opcode: opcodes.binary, payload: Buffer.alloc(130, 3) }),
      encodeFrame({ opcode: opcodes.ping, payload: 'p' }),
      encodeFrame({ opcode: opcodes.text, payload: '' }),
    ]);
    for (const byte of bytes) await raw.raw.write(Buffer.from([byte]));
    expect(await peer.text()).toBe('slow');
    expect((await peer.message()).data.length).toBe(130);
    expect(await peer.text()).toBe('');
    expect((await raw.frameOf([opcodes.pong])).payload.toString()).toBe('p');
  });

  it('may come in pieces that ignore every frame border', async () => {
    const { raw, peer } = await halfRawPair(relay, await connectHost(relay), leg);
    const frames = Array.from({ length: 300 }, (_, i) =>
      encodeFrame({ opcode: opcodes.binary, payload: Buffer.alloc((i * 37) % 3000, i) }),
    );
    const bytes = Buffer.concat(frames);
    for (let at = 0; at < bytes.length; at += 4999) void raw.raw.write(bytes.subarray(at, at + 4999));
    for (let i = 0; i < 300; i++) {
      const { data } = await peer.message();
      expect(data.equals(Buffer.alloc((i * 37) % 3000, i))).toBe(true);
    }
  });

  it('may be text that is not UTF-8: it is forwarded as it is', async () => {
    const { raw, peer } = await halfRawPair(relay, await connectHost(relay), leg);
    const bytes = Buffer.from([0xff, 0xfe, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0x61]);
    void raw.send({ opcode: opcodes.text, payload: bytes });
    const { data, isBinary } = await peer.message();
    expect([data.equals(bytes), isBinary]).toEqual([true, false]);
    void raw.send({ opcode: opcodes.text, payload: bytes, fin: false });
    void raw.send({ opcode: opcodes.continuation, payload: bytes });
    expect((await peer.message()).data.length).toBe(16);
  });

  it('never make the relay use a reserved bit or a mask', async () => {
    const host = await connectHost(relay);
    const { client, data } = await rawPair(relay, host);
    const [from, to] = leg === 'client' ? [client, data] : [data, client];
    void from.send({ opcode: opcodes.binary, payload: Buffer.alloc(100_000, 7) });
    for (let got = 0; got < 100_000; ) {
      const frame = await to.frameOf([opcodes.binary, opcodes.continuation]);
      expect(frame).toMatchObject({ rsv: 0, masked: false });
      got += frame.payload.length;
    }
  });
});

describe.each(legs)('a ping on the %s leg', (leg) => {
  it.each([0, 1, 125])('with %d bytes is answered with the same bytes, by the relay', async (size) => {
    const { raw, peer } = await halfRawPair(relay, await connectHost(relay), leg);
    const payload = randomBytes(size);
    void raw.send({ opcode: opcodes.ping, payload });
    expect((await raw.frameOf([opcodes.pong])).payload.equals(payload)).toBe(true);
    void raw.send({ opcode: opcodes.text, payload: 'the first thing to arrive' });
    expect(await peer.text()).toBe('the first thing to arrive');
    expect(peer.pings).toEqual([]);
  });

  it('is answered while the other leg does not read', async () => {
    const { raw, peer } = await halfRawPair(relay, await connectHost(relay), leg);
    peer.pause();
    void raw.send({ opcode: opcodes.binary, payload: Buffer.alloc(100_000) });
    void raw.send({ opcode: opcodes.ping, payload: 'still there' });
    expect((await raw.frameOf([opcodes.pong])).payload.toString()).toBe('still there');
  });
});

describe('many pairs at once', () => {
  it('deliver to nobody but their own peer', async () => {
    const hosts = [await connectHost(relay), await connectHost(relay)];
    const pairs = [];
    for (let i = 0; i < 24; i++) {
      const host = hosts[i % 2];
      if (host !== undefined) pairs.push(await connectPair(relay, host));
    }
    const messages = (i: number): string[] => Array.from({ length: 40 }, (_, n) => `pair ${i} message ${n}`);
    for (const [i, pair] of pairs.entries()) {
      for (const text of messages(i)) {
        void pair.client.send(`up ${text}`);
        void pair.data.send(`down ${text}`);
      }
    }
    for (const [i, pair] of pairs.entries()) {
      for (const text of messages(i)) {
        expect(await pair.data.text()).toBe(`up ${text}`);
        expect(await pair.client.text()).toBe(`down ${text}`);
      }
    }
    await Promise.all(pairs.map((pair) => expectFlows(pair)));
  });
});
