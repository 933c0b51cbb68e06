import { describe, expect, it } from 'vitest';
import { directionOf } from '../cipher/vectors.ts';
import { fromHex, toHex } from '../frame/bytes.ts';
import { badPublicJwks, handshakeTexts } from '../handshake/vectors.ts';
import { CIPHERS, settle } from './ciphers.ts';
import { openClientChannel } from '../../src/index.ts';
import { MemoryTransport } from './memory-transport.ts';
import {
  HELLO_TEXT,
  openGreetingClient,
  openReadyClient,
  openVectorClient,
  READY_TEXT,
} from './open-ends.ts';
import { RecordingListener } from './recording-listener.ts';

const outgoing = directionOf('clientToHost').frames;
const incoming = directionOf('hostToClient').frames;

describe("a Client's end", () => {
  it.each(CIPHERS)('sends and reads the golden bytes, by %s', async (_name, importAeadKey) => {
    const { channel, transport, listener } = await openReadyClient({ importAeadKey });
    expect(listener.established).toEqual([{ isBatching: true }]);
    for (const { plaintext } of outgoing) channel.send(fromHex(plaintext));
    for (const { frame } of incoming) transport.deliver(fromHex(frame));
    await listener.until(() => listener.plaintexts.length === incoming.length);
    while (transport.frames.length < outgoing.length) await settle();
    expect(transport.texts).toEqual([HELLO_TEXT]);
    expect(transport.frames.map(toHex)).toEqual(outgoing.map(({ frame }) => frame));
    expect(listener.texts).toEqual(incoming.map(({ plaintext }) => plaintext));
    expect(listener.ends).toEqual([]);
  });

  it('says hello again every second, and stops when it is answered', async () => {
    const { transport, clock, listener } = await openGreetingClient();
    clock.advance(999);
    expect(transport.sent).toHaveLength(1);
    clock.advance(1);
    expect(transport.sent).toEqual([HELLO_TEXT, HELLO_TEXT]);
    transport.deliver(READY_TEXT);
    expect(clock.pendingTimers).toBe(0);
    clock.advance(60_000);
    expect(transport.sent).toHaveLength(2);
    expect(listener.ends).toEqual([]);
  });

  it('gives up after 30 s', async () => {
    const { transport, clock, listener } = await openGreetingClient();
    clock.advance(29_999);
    await settle();
    expect(transport.closes).toEqual([]);
    expect(transport.sent).toHaveLength(30);
    clock.advance(1);
    await settle();
    expect(listener.ends).toEqual([
      { code: 1001, reason: 'no answer to the hello', cause: 'handshake-timeout' },
    ]);
    expect(transport.closes).toEqual([{ code: 1001, reason: 'no answer to the hello' }]);
    expect(transport.sent).toHaveLength(30);
    expect(clock.pendingTimers).toBe(0);
  });

  it('can be answered up to the last moment', async () => {
    const { transport, clock, listener } = await openGreetingClient();
    clock.advance(29_999);
    transport.deliver(READY_TEXT);
    expect(listener.established).toHaveLength(1);
  });

  it('reads ciphertext that comes right behind the ready, in the same turn', async () => {
    const { transport, listener } = await openGreetingClient();
    transport.deliver(READY_TEXT);
    transport.deliver(fromHex(incoming[0]?.frame ?? ''));
    expect(listener.texts).toEqual([incoming[0]?.plaintext]);
  });

  it('may send from within the news that it is established', async () => {
    const { channel, transport, listener } = await openGreetingClient();
    listener.onReady = () => channel.send(fromHex(outgoing[0]?.plaintext ?? ''));
    transport.deliver(READY_TEXT);
    expect(transport.frames.map(toHex)).toEqual([outgoing[0]?.frame]);
  });

  it('takes a ready again for nothing new: keys and counters stay', async () => {
    const { channel, transport, listener } = await openReadyClient();
    channel.send(fromHex(outgoing[0]?.plaintext ?? ''));
    transport.deliver(fromHex(incoming[0]?.frame ?? ''));
    transport.deliver(READY_TEXT);
    channel.send(fromHex(outgoing[1]?.plaintext ?? ''));
    transport.deliver(fromHex(incoming[1]?.frame ?? ''));
    expect(transport.frames.map(toHex)).toEqual([outgoing[0]?.frame, outgoing[1]?.frame]);
    expect(listener.texts).toEqual([incoming[0]?.plaintext, incoming[1]?.plaintext]);
    expect(listener.established).toHaveLength(1);
  });

  it('does not batch when the Host does not', async () => {
    const { transport, listener } = await openGreetingClient();
    transport.deliver(handshakeTexts.ready[0]?.text ?? '');
    expect(listener.established).toEqual([{ isBatching: false }]);
  });

  it('offers no batching when it is told so', async () => {
    const { transport, listener } = await openReadyClient({ offersBatching: false });
    expect(transport.sent).toEqual([handshakeTexts.hello[0]?.text]);
    expect(listener.established).toEqual([{ isBatching: false }]);
  });

  it('does not mistake a ready for an answer before it has asked', async () => {
    const { transport, listener } = openVectorClient();
    transport.deliver(READY_TEXT);
    await settle();
    expect(listener.established).toEqual([]);
    expect(listener.ends).toEqual([]);
  });

  it.each(handshakeTexts.ignored)('passes over a text that is no handshake message: %s', async (text) => {
    const { transport, listener } = await openGreetingClient();
    transport.deliver(text);
    transport.deliver(READY_TEXT);
    expect(listener.established).toHaveLength(1);
  });

  it('says nothing when it is closed while its keys are made', async () => {
    const { channel, transport, listener, clock } = openVectorClient();
    channel.close({ code: 1000, reason: 'changed my mind' });
    await settle();
    await settle();
    expect(transport.sent).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
    expect(listener.ends).toEqual([{ code: 1000, reason: 'changed my mind', cause: 'local' }]);
  });

  it('leaves no timer when the socket closes before the answer', async () => {
    const { transport, listener, clock } = await openGreetingClient();
    transport.end({ code: 4008, reason: 'host unavailable' });
    expect(clock.pendingTimers).toBe(0);
    expect(listener.ends).toEqual([{ code: 4008, reason: 'host unavailable', cause: 'peer' }]);
  });

  it('fails when its trust anchor is no key', async () => {
    const { jwk } = badPublicJwks.find(({ name }) => name === 'y off the curve') ?? {};
    const [transport, listener] = [new MemoryTransport(), new RecordingListener()];
    openClientChannel({ transport, hostEncPubJwk: jwk as never }, listener);
    await listener.until(() => listener.ends.length > 0);
    expect(listener.ends).toMatchObject([{ code: 1011, cause: 'fault' }]);
    expect(transport.sent).toEqual([]);
  });

  it('uses another key, nonce and IV each time', async () => {
    const hellos = await Promise.all(
      [1, 2, 3].map(async () => {
        const [transport, listener] = [new MemoryTransport(), new RecordingListener()];
        const { host } = (await import('../handshake/vectors.ts')).firstAgreement();
        const channel = openClientChannel({ transport, hostEncPubJwk: host }, listener);
        while (transport.sent.length === 0) await settle();
        transport.deliver(READY_TEXT);
        channel.send(Uint8Array.of(1));
        while (transport.frames.length === 0) await settle();
        channel.close({ code: 1000, reason: '' });
        const { clientPubJwk, nonce } = JSON.parse(transport.texts[0] ?? '');
        return [clientPubJwk.x, nonce, toHex(transport.frames[0]?.subarray(1, 5) ?? new Uint8Array())];
      }),
    );
    expect(new Set(hellos.flat()).size).toBe(9);
  });
});
