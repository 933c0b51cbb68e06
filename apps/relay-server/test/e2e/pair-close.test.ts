import { delay, encodeFrame, opcodes } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { halfRawPair } from './support/raw-pair.ts';
import { roomy, useRelay } from './support/relay.ts';
import { connectHost, connectPair, expectClosed, expectCloseFrame, expectLive } from './support/sockets.ts';

// Layer 1 §6: who hears what when a leg closes, and that nothing sent before is lost.

const relay = useRelay({ limits: roomy });
const legs = ['client', 'host-data'] as const;

describe('a Client that closes', () => {
  it.each([1000, 1001, 3000, 4000, undefined])('with %s gives host-data 1000', async (code) => {
    const host = await connectHost(relay);
    const { client, data, connectionId } = await connectPair(relay, host);
    client.close(code, code === undefined ? undefined : 'bye');
    await expectClosed(data, 1000);
    expect(await host.nextId('disconnected')).toBe(connectionId);
    // RFC 6455 §5.5.1: the relay answers the close.
    expect((await client.closed()).code).not.toBe(1006);
  });

  it('by cutting the connection gives host-data a real close', async () => {
    const host = await connectHost(relay);
    const { client, data, connectionId } = await connectPair(relay, host);
    client.terminate();
    expect([1000, 1012]).toContain((await data.closed()).code);
    expect(await host.nextId('disconnected')).toBe(connectionId);
  });

  it('by resetting the connection gives host-data a real close', async () => {
    const host = await connectHost(relay);
    const { raw, peer } = await halfRawPair(relay, host, 'client');
    raw.raw.reset();
    expect([1000, 1012]).toContain((await peer.closed()).code);
    await host.nextId('disconnected');
  });

  it('by half-closing the connection gives host-data a real close', async () => {
    const host = await connectHost(relay);
    const { raw, peer } = await halfRawPair(relay, host, 'client');
    raw.raw.halfClose();
    expect([1000, 1012]).toContain((await peer.closed()).code);
    await host.nextId('disconnected');
  });
});

describe('host-data that closes', () => {
  it.each([1000, 1001, 1011, 3000, 4000, undefined])('with %s gives the Client 1012', async (code) => {
    const host = await connectHost(relay);
    const { client, data, connectionId } = await connectPair(relay, host);
    data.close(code, code === undefined ? undefined : 'bye');
    await expectClosed(client, 1012);
    expect(await host.nextId('disconnected')).toBe(connectionId);
    await expectLive(relay, host);
  });

  it('by cutting the connection gives the Client 1012', async () => {
    const host = await connectHost(relay);
    const { client, data, connectionId } = await connectPair(relay, host);
    data.terminate();
    await expectClosed(client, 1012);
    expect(await host.nextId('disconnected')).toBe(connectionId);
  });
});

describe('both legs that close at once', () => {
  it('end the pair once', async () => {
    const host = await connectHost(relay);
    for (let round = 0; round < 10; round++) {
      const { client, data, connectionId } = await connectPair(relay, host);
      client.close(1000);
      data.close(1000);
      await Promise.all([client.closed(), data.closed()]);
      expect(await host.nextId('disconnected')).toBe(connectionId);
    }
    await expectLive(relay, host);
    expect(host.control.messages.size).toBe(0);
  });
});

describe.each(legs)('what the %s leg sent before its close', (leg) => {
  const code = leg === 'client' ? 1000 : 1012;

  it('is delivered first, in the same segment', async () => {
    const { raw, peer } = await halfRawPair(relay, await connectHost(relay), leg);
    const frames = Array.from({ length: 30 }, (_, i) =>
      encodeFrame({ opcode: opcodes.text, payload: `m${i}` }),
    );
    void raw.raw.write(Buffer.concat([...frames, encodeFrame({ opcode: opcodes.close })]));
    for (let i = 0; i < 30; i++) expect(await peer.text()).toBe(`m${i}`);
    await expectClosed(peer, code);
  });

  it('is delivered first when it is megabytes', async () => {
    const pair = await connectPair(relay, await connectHost(relay));
    const [from, to] = leg === 'client' ? [pair.client, pair.data] : [pair.data, pair.client];
    for (let i = 0; i < 128; i++) void from.send(Buffer.alloc(65_536, i));
    from.close(1000);
    await expectClosed(to, code);
    const got = to.messages.takeAll();
    expect(got.map(({ data }) => data.length)).toEqual(Array.from({ length: 128 }, () => 65_536));
    expect(got.every(({ data }, i) => data[0] === i && data.at(-1) === i)).toBe(true);
  });

  it('is delivered first even when the other side starts to read only after the close', async () => {
    const pair = await connectPair(relay, await connectHost(relay));
    const [from, to] = leg === 'client' ? [pair.client, pair.data] : [pair.data, pair.client];
    to.pause();
    for (let i = 0; i < 64; i++) void from.send(Buffer.alloc(16_384, i));
    from.close(1000);
    await delay(600);
    to.resume();
    await expectClosed(to, code);
    expect(to.messages.total).toBe(64);
  });

  it('is delivered first when the connection is then cut in order', async () => {
    const { raw, peer } = await halfRawPair(relay, await connectHost(relay), leg);
    void raw.send({ opcode: opcodes.text, payload: 'last words' });
    raw.raw.halfClose();
    expect(await peer.text()).toBe('last words');
    expect([1000, 1012]).toContain((await peer.closed()).code);
  });
});

describe.each(legs)('the %s leg that goes in the middle of a frame', (leg) => {
  it.each(['cut', 'half a fragmented message', 'half a frame'])(
    'by %s leaves the other a real close and no broken message',
    async (how) => {
      const host = await connectHost(relay);
      const { raw, peer } = await halfRawPair(relay, host, leg);
      void raw.send({ opcode: opcodes.text, payload: 'whole' });
      const bytes =
        how === 'half a fragmented message'
          ? encodeFrame({ opcode: opcodes.binary, payload: Buffer.alloc(50_000), fin: false })
          : encodeFrame({ opcode: opcodes.binary, payload: Buffer.alloc(100_000) }).subarray(0, 60_000);
      await raw.raw.write(bytes);
      if (how === 'cut') raw.raw.reset();
      else raw.raw.halfClose();
      // A reset may overtake what was sent before it; an orderly end may not.
      expect([1000, 1012]).toContain((await peer.closed()).code);
      const texts = peer.messages.takeAll().map(({ data }) => data.toString());
      expect(how === 'cut' && texts.length === 0 ? [] : texts).toEqual(texts.length === 0 ? [] : ['whole']);
      if (how !== 'cut') expect(texts).toEqual(['whole']);
      await host.nextId('disconnected');
      await expectLive(relay, host);
    },
  );
});

describe('CLOSE_DEADLINE_MS', () => {
  const CLOSE_DEADLINE_MS = 1000;
  const hasty = useRelay({ limits: { ...roomy, CLOSE_DEADLINE_MS } });

  it('is how long a raw peer may take to answer a close', async () => {
    const host = await connectHost(hasty);
    const { raw, peer } = await halfRawPair(hasty, host, 'client');
    peer.close(1000);
    await expectCloseFrame(raw, 1012);
    const closedAt = performance.now();
    await raw.raw.ended();
    expect(performance.now() - closedAt).toBeGreaterThan(CLOSE_DEADLINE_MS - 200);
  });

  it('is not waited out when the peer answers', async () => {
    const patient = relay;
    const host = await connectHost(patient);
    const { raw, peer } = await halfRawPair(patient, host, 'host-data');
    const startedAt = performance.now();
    peer.close(1000);
    await expectCloseFrame(raw, 1000);
    await raw.sendClose(1000);
    expect(await raw.raw.ended()).toBe('fin');
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });

  it('ends a close that waits behind data nobody reads', async () => {
    const host = await connectHost(hasty);
    const { raw, peer, connectionId } = await halfRawPair(hasty, host, 'client');
    raw.raw.pause();
    for (let i = 0; i < 16; i++) void peer.send(Buffer.alloc(65_536));
    peer.close(1000);
    expect(await host.nextId('disconnected')).toBe(connectionId);
    await peer.closed();
    await expectLive(hasty, host);
  });
});
