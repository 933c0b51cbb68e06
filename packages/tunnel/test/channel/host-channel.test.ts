import { describe, expect, it } from 'vitest';
import { SpentHellos } from '../../src/index.ts';
import { directionOf } from '../cipher/vectors.ts';
import { fromHex, toHex } from '../frame/bytes.ts';
import { handshakeTexts } from '../handshake/vectors.ts';
import { CIPHERS, settle } from './ciphers.ts';
import { HELLO_TEXT, openReadyHost, openVectorHost, READY_TEXT } from './open-ends.ts';

const outgoing = directionOf('hostToClient').frames;
const incoming = directionOf('clientToHost').frames;

describe("a Host's end", () => {
  it.each(CIPHERS)('sends and reads the golden bytes, by %s', async (_name, importAeadKey) => {
    const { channel, transport, listener } = await openReadyHost({ importAeadKey });
    expect(listener.established).toEqual([{ isBatching: true }]);
    for (const { plaintext } of outgoing) channel.send(fromHex(plaintext));
    for (const { frame } of incoming) transport.deliver(fromHex(frame));
    await listener.until(() => listener.plaintexts.length === incoming.length);
    while (transport.frames.length < outgoing.length) await settle();
    expect(transport.sent[0]).toBe(READY_TEXT);
    expect(transport.frames.map(toHex)).toEqual(outgoing.map(({ frame }) => frame));
    expect(listener.texts).toEqual(incoming.map(({ plaintext }) => plaintext));
    expect(listener.ends).toEqual([]);
  });

  it('says nothing before the hello', async () => {
    const { transport, listener } = await openVectorHost();
    await settle();
    expect(transport.sent).toEqual([]);
    expect(listener.established).toEqual([]);
  });

  it('sends the ready before anything its owner sends', async () => {
    const { channel, transport, listener } = await openVectorHost();
    listener.onReady = () => channel.send(fromHex(outgoing[0]?.plaintext ?? ''));
    transport.deliver(HELLO_TEXT);
    await listener.until(() => listener.established.length > 0);
    const [first, second] = transport.sent;
    expect(first).toBe(READY_TEXT);
    expect(second instanceof Uint8Array && toHex(second)).toBe(outgoing[0]?.frame);
  });

  it('answers hellos that come while it makes keys with one ready', async () => {
    const { transport, listener } = await openVectorHost();
    for (let count = 0; count < 3; count++) transport.deliver(HELLO_TEXT);
    await listener.until(() => listener.established.length > 0);
    await settle();
    expect(transport.sent).toEqual([READY_TEXT]);
    expect(listener.established).toHaveLength(1);
  });

  it('answers the same hello again, and keeps keys and counters', async () => {
    const { channel, transport, listener } = await openReadyHost();
    channel.send(fromHex(outgoing[0]?.plaintext ?? ''));
    transport.deliver(fromHex(incoming[0]?.frame ?? ''));
    transport.deliver(HELLO_TEXT);
    channel.send(fromHex(outgoing[1]?.plaintext ?? ''));
    transport.deliver(fromHex(incoming[1]?.frame ?? ''));
    await settle();
    expect(transport.texts).toEqual([READY_TEXT, READY_TEXT]);
    expect(transport.frames.map(toHex)).toEqual([outgoing[0]?.frame, outgoing[1]?.frame]);
    expect(listener.texts).toEqual([incoming[0]?.plaintext, incoming[1]?.plaintext]);
    expect(listener.established).toHaveLength(1);
  });

  it('answers again no sooner than the Client reads, however often it says hello', async () => {
    const { transport, listener } = await openReadyHost();
    transport.bufferedBytes = 4096;
    transport.deliver(HELLO_TEXT);
    transport.bufferedBytes = 4097;
    for (let count = 0; count < 100; count++) transport.deliver(HELLO_TEXT);
    expect(transport.texts).toEqual([READY_TEXT, READY_TEXT]);
    transport.bufferedBytes = 0;
    transport.deliver(` ${HELLO_TEXT}`);
    expect(transport.texts).toEqual([READY_TEXT, READY_TEXT, READY_TEXT]);
    expect(listener.ends).toEqual([]);
  });

  it.each(CIPHERS)('can be played to it once, by %s', async (_name, importAeadKey) => {
    const options = { importAeadKey, spentHellos: new SpentHellos() };
    const frames = incoming.map(({ frame }) => fromHex(frame));
    // The hello alone, which a stranger can say, uses nothing up.
    const [first, second] = [await openReadyHost(options), await openReadyHost(options)];
    for (const frame of frames) first.transport.deliver(frame);
    await first.listener.until(() => first.listener.plaintexts.length === frames.length);
    const third = await openReadyHost(options);
    for (const { transport, listener, channel } of [second, third]) {
      for (const frame of frames) transport.deliver(frame);
      await listener.until(() => listener.ends.length > 0);
      channel.send(fromHex(outgoing[0]?.plaintext ?? ''));
      await settle();
      expect(listener.plaintexts).toEqual([]);
      expect(listener.ends).toEqual([{ code: 1008, reason: 'a hello that was used before', cause: 'fault' }]);
      expect(transport.sent).toEqual([READY_TEXT]);
    }
    expect(first.listener.ends).toEqual([]);
  });

  it.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
    [false, false, false],
  ])(
    'with a Client that offers batching (%s) and itself (%s): %s',
    async (clientOffers, hostOffers, isBatching) => {
      const { transport, listener } = await openVectorHost({ offersBatching: hostOffers });
      transport.deliver(handshakeTexts.hello[clientOffers ? 1 : 0]?.text ?? '');
      await listener.until(() => listener.established.length > 0);
      expect(listener.established).toEqual([{ isBatching }]);
      expect(transport.sent).toEqual([handshakeTexts.ready[isBatching ? 1 : 0]?.text]);
    },
  );

  it('waits 30 s for a hello, whatever else comes', async () => {
    const { transport, listener, clock } = await openVectorHost();
    clock.advance(29_999);
    transport.deliver('{}');
    await settle();
    expect(listener.ends).toEqual([]);
    clock.advance(1);
    await settle();
    expect(listener.ends).toEqual([{ code: 1001, reason: 'no hello in time', cause: 'handshake-timeout' }]);
    expect(transport.closes).toHaveLength(1);
  });

  it('waits no longer once there was one', async () => {
    const { listener, clock } = await openReadyHost();
    expect(clock.pendingTimers).toBe(0);
    clock.advance(100_000);
    await settle();
    expect(listener.ends).toEqual([]);
  });

  it.each(handshakeTexts.ignored)('passes over a text that is no handshake message: %s', async (text) => {
    const { transport, listener } = await openVectorHost();
    transport.deliver(text);
    transport.deliver(HELLO_TEXT);
    transport.deliver(text);
    await listener.until(() => listener.established.length > 0);
    expect(listener.ends).toEqual([]);
  });

  it('says nothing when it is closed while keys are made', async () => {
    const { channel, transport, listener, clock } = await openVectorHost();
    transport.deliver(HELLO_TEXT);
    channel.close({ code: 1012, reason: 'stopping' });
    await settle();
    await settle();
    expect(transport.sent).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
    expect(listener.ends).toEqual([{ code: 1012, reason: 'stopping', cause: 'local' }]);
    expect(listener.established).toEqual([]);
  });

  it('says nothing when the socket closes while keys are made', async () => {
    const { transport, listener } = await openVectorHost();
    transport.deliver(HELLO_TEXT);
    transport.end({ code: 1006, reason: '' });
    await settle();
    await settle();
    expect(transport.sent).toEqual([]);
    expect(listener.ends).toEqual([{ code: 1006, reason: '', cause: 'peer' }]);
  });

  it('fails when its cipher cannot be made', async () => {
    const { transport, listener } = await openVectorHost({
      importAeadKey: async () => Promise.reject(new Error('no cipher here')),
    });
    transport.deliver(HELLO_TEXT);
    await listener.until(() => listener.ends.length > 0);
    expect(listener.ends).toEqual([{ code: 1011, reason: 'no keys could be agreed on', cause: 'fault' }]);
    expect(transport.sent).toEqual([]);
  });
});
