import { describe, expect, it } from 'vitest';
import { MAX_PLAINTEXT_BYTES, SEALED_OVERHEAD_BYTES } from '../../src/index.ts';
import { createNodeAeadKey } from '../../src/node/index.ts';
import { directionOf } from '../cipher/vectors.ts';
import { fromHex, toHex } from '../frame/bytes.ts';
import { HeldCipher, settle } from './ciphers.ts';
import { openGreetingClient, openReadyClient, openReadyHost, READY_TEXT } from './open-ends.ts';

const { key, frames } = directionOf('hostToClient');
const first = fromHex(frames[0]?.frame ?? '');
const second = fromHex(frames[1]?.frame ?? '');
const hostKey = createNodeAeadKey(fromHex(key));

/** Genuine frames from the Host, with counters in a row. */
async function hostFrames(count: number, plaintextBytes: number): Promise<Uint8Array[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const iv = new Uint8Array(12);
      new DataView(iv.buffer).setUint32(8, index + 1);
      return hostKey.seal(iv, new Uint8Array(plaintextBytes).fill(index));
    }),
  );
}

describe('sending', () => {
  it('happens in the same turn when the cipher answers at once', async () => {
    const { channel, transport } = await openReadyClient();
    channel.send(Uint8Array.of(1));
    expect(transport.frames).toHaveLength(1);
    expect(channel.pendingBytes).toBe(0);
  });

  it('keeps the order when the cipher does not', async () => {
    const cipher = new HeldCipher();
    const { channel, transport } = await openReadyClient({ importAeadKey: cipher.importKey });
    for (let index = 0; index < 3; index++) channel.send(new Uint8Array(index));
    expect(cipher.seals).toHaveLength(3);
    cipher.seals[2]?.resolve(undefined);
    cipher.seals[1]?.resolve(undefined);
    await settle();
    expect(transport.frames).toEqual([]);
    cipher.seals[0]?.resolve(undefined);
    await settle();
    expect(transport.frames.map(({ length }) => length - SEALED_OVERHEAD_BYTES)).toEqual([0, 1, 2]);
    expect(transport.frames.map((frame) => frame[12])).toEqual([1, 2, 3]);
  });

  it('counts what is being encrypted and what waits in the transport, and tells when it is less', async () => {
    const cipher = new HeldCipher();
    const { channel, transport, listener } = await openReadyClient({ importAeadKey: cipher.importKey });
    channel.send(new Uint8Array(100));
    channel.send(new Uint8Array(50));
    transport.bufferedBytes = 7;
    expect(channel.pendingBytes).toBe(100 + 50 + 2 * SEALED_OVERHEAD_BYTES + 7);
    cipher.seals[0]?.resolve(undefined);
    await listener.until(() => listener.drains > 0);
    expect(channel.pendingBytes).toBe(50 + SEALED_OVERHEAD_BYTES + 7);
    transport.drain();
    expect(listener.drains).toBe(2);
  });

  it('tells nothing of draining before the channel is established', async () => {
    const { channel, transport, listener } = await openGreetingClient();
    transport.bufferedBytes = 300;
    transport.drain();
    expect(listener.drains).toBe(0);
    expect(channel.pendingBytes).toBe(0);
  });

  it('throws before the channel is established', async () => {
    const { channel } = await openGreetingClient();
    expect(() => channel.send(Uint8Array.of(1))).toThrow('before the handshake');
  });

  it('takes a plaintext at the limit and throws one byte over it', async () => {
    const { channel, transport, listener } = await openReadyClient();
    channel.send(new Uint8Array(MAX_PLAINTEXT_BYTES));
    expect(() => channel.send(new Uint8Array(MAX_PLAINTEXT_BYTES + 1))).toThrow(RangeError);
    expect(transport.frames).toHaveLength(1);
    expect(listener.ends).toEqual([]);
  });

  it.each([
    [
      'throws',
      (): Uint8Array => {
        throw new Error('a secret detail');
      },
    ],
    ['rejects', async (): Promise<Uint8Array> => Promise.reject(new Error('a secret detail'))],
  ])('ends the channel when the cipher %s', async (_how, seal) => {
    const importAeadKey = (): typeof hostKey => ({ seal, open: (frame) => frame });
    const { channel, transport, listener } = await openReadyClient({ importAeadKey });
    channel.send(Uint8Array.of(1));
    channel.send(Uint8Array.of(2));
    await settle();
    const end = { code: 1011, reason: 'a frame could not be encrypted' };
    expect(listener.ends).toEqual([{ ...end, cause: 'fault' }]);
    expect(transport.closes).toEqual([end]);
    expect(transport.frames).toEqual([]);
  });

  it('stops with the channel: what was being encrypted is not sent', async () => {
    const cipher = new HeldCipher();
    const { channel, transport } = await openReadyClient({ importAeadKey: cipher.importKey });
    channel.send(Uint8Array.of(1));
    channel.close({ code: 1000, reason: '' });
    cipher.seals[0]?.resolve(undefined);
    await settle();
    expect(transport.frames).toEqual([]);
    expect(channel.pendingBytes).toBe(0);
  });
});

describe('receiving', () => {
  it('keeps the order when the cipher does not', async () => {
    const cipher = new HeldCipher();
    const { transport, listener } = await openReadyClient({ importAeadKey: cipher.importKey });
    transport.deliver(first);
    transport.deliver(second);
    cipher.opens[1]?.resolve(undefined);
    await settle();
    expect(listener.texts).toEqual([]);
    cipher.opens[0]?.resolve(undefined);
    await settle();
    expect(listener.texts).toEqual([frames[0]?.plaintext, frames[1]?.plaintext]);
  });

  it('ends with the first frame that is refused, after those before it', async () => {
    const cipher = new HeldCipher();
    const { transport, listener } = await openReadyClient({ importAeadKey: cipher.importKey });
    transport.deliver(first);
    transport.deliver(first);
    transport.deliver(second);
    await settle();
    expect(listener.ends).toEqual([]);
    for (const open of cipher.opens) open.resolve(undefined);
    await settle();
    expect(listener.texts).toEqual([frames[0]?.plaintext]);
    expect(listener.ends).toMatchObject([{ code: 1011, cause: 'fault' }]);
  });

  it('delivers what had come when the socket closed, and only then tells of the end', async () => {
    const cipher = new HeldCipher();
    const { channel, transport, listener, clock } = await openReadyClient({
      importAeadKey: cipher.importKey,
    });
    transport.deliver(first);
    transport.deliver(second);
    channel.send(Uint8Array.of(1));
    transport.end({ code: 1000, reason: 'done' });
    channel.send(Uint8Array.of(2));
    cipher.seals[0]?.resolve(undefined);
    await settle();
    expect(listener.ends).toEqual([]);
    expect(channel.pendingBytes).toBe(0);
    for (const open of cipher.opens) open.resolve(undefined);
    await settle();
    expect(listener.texts).toEqual([frames[0]?.plaintext, frames[1]?.plaintext]);
    expect(listener.ends).toEqual([{ code: 1000, reason: 'done', cause: 'peer' }]);
    expect(transport.frames).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('finds a fault also in what is left when the socket has closed', async () => {
    const cipher = new HeldCipher();
    const { transport, listener } = await openReadyClient({ importAeadKey: cipher.importKey });
    transport.deliver(first);
    transport.deliver(first);
    transport.end({ code: 1000, reason: 'done' });
    for (const open of cipher.opens) open.resolve(undefined);
    await settle();
    expect(listener.texts).toEqual([frames[0]?.plaintext]);
    expect(listener.ends).toMatchObject([{ code: 1011, cause: 'fault' }]);
  });

  it('is over at once when the owner closes, whatever is being decrypted', async () => {
    const cipher = new HeldCipher();
    const { channel, transport, listener } = await openReadyClient({ importAeadKey: cipher.importKey });
    transport.deliver(first);
    channel.close({ code: 1000, reason: '' });
    cipher.opens[0]?.resolve(undefined);
    await settle();
    expect(listener.texts).toEqual([]);
    expect(listener.ends).toHaveLength(1);
  });

  it('stops when the owner closes from within a plaintext', async () => {
    const cipher = new HeldCipher();
    const { channel, transport, listener } = await openReadyClient({ importAeadKey: cipher.importKey });
    listener.onEach = () => channel.close({ code: 1000, reason: 'enough' });
    transport.deliver(first);
    transport.deliver(second);
    for (const open of cipher.opens) open.resolve(undefined);
    await settle();
    expect(listener.texts).toEqual([frames[0]?.plaintext]);
    expect(listener.ends).toEqual([{ code: 1000, reason: 'enough', cause: 'local' }]);
  });
});

describe('reading', () => {
  it('stops above 64 frames that wait to be decrypted, and goes on at half', async () => {
    const cipher = new HeldCipher();
    const { transport } = await openReadyClient({ importAeadKey: cipher.importKey });
    const frames = await hostFrames(65, 1);
    for (const frame of frames.slice(0, 64)) transport.deliver(frame);
    expect(transport.readings).toEqual([]);
    transport.deliver(frames[64] ?? first);
    expect(transport.readings).toEqual(['pause']);
    for (const open of cipher.opens.slice(0, 32)) open.resolve(undefined);
    await settle();
    expect(transport.readings).toEqual(['pause']);
    cipher.opens[32]?.resolve(undefined);
    await settle();
    expect(transport.readings).toEqual(['pause', 'resume']);
  });

  it('stops above 1 MiB that waits to be decrypted', async () => {
    const cipher = new HeldCipher();
    const { transport, listener } = await openReadyClient({ importAeadKey: cipher.importKey });
    const frames = await hostFrames(17, MAX_PLAINTEXT_BYTES - SEALED_OVERHEAD_BYTES);
    for (const frame of frames.slice(0, 16)) transport.deliver(frame);
    expect(transport.readings).toEqual([]);
    transport.deliver(frames[16] ?? first);
    expect(transport.readings).toEqual(['pause']);
    for (const open of cipher.opens) open.resolve(undefined);
    await settle();
    expect(transport.readings).toEqual(['pause', 'resume']);
    expect(listener.plaintexts).toHaveLength(17);
  });

  it('goes on only when neither the owner nor the backlog is against it', async () => {
    const cipher = new HeldCipher();
    const { channel, transport } = await openReadyClient({ importAeadKey: cipher.importKey });
    for (const frame of await hostFrames(65, 1)) transport.deliver(frame);
    channel.pauseReading();
    channel.pauseReading();
    expect(transport.readings).toEqual(['pause']);
    for (const open of cipher.opens) open.resolve(undefined);
    await settle();
    expect(transport.readings).toEqual(['pause']);
    channel.resumeReading();
    channel.resumeReading();
    expect(transport.readings).toEqual(['pause', 'resume']);
  });

  it('goes on when the channel is closed, so that the answer to the close is read', async () => {
    const { channel, transport } = await openReadyHost();
    channel.pauseReading();
    channel.close({ code: 1000, reason: '' });
    expect(transport.readings).toEqual(['pause', 'resume']);
    channel.pauseReading();
    channel.resumeReading();
    expect(transport.readings).toEqual(['pause', 'resume']);
  });

  it('still delivers what comes while it is stopped', async () => {
    const { channel, transport, listener } = await openReadyClient();
    channel.pauseReading();
    transport.deliver(first);
    expect(listener.texts).toEqual([frames[0]?.plaintext]);
  });
});

describe('the end', () => {
  it.each(['local', 'silent', 'fault'] as const)('is told once, later, with the cause: %s', async (cause) => {
    const { channel, transport, listener } = await openReadyHost();
    channel.close({ code: 1001, reason: 'no sign of life' }, cause);
    channel.close({ code: 1000, reason: 'again' });
    expect(listener.ends).toEqual([]);
    await Promise.resolve();
    expect(listener.ends).toEqual([{ code: 1001, reason: 'no sign of life', cause }]);
    expect(transport.closes).toEqual([{ code: 1001, reason: 'no sign of life' }]);
    transport.end({ code: 1001, reason: 'no sign of life' });
    await settle();
    expect(listener.ends).toHaveLength(1);
  });

  it('is told as it came when it comes from outside', async () => {
    const { transport, listener } = await openReadyClient();
    transport.end({ code: 1012, reason: 'host disconnected' });
    expect(listener.ends).toEqual([{ code: 1012, reason: 'host disconnected', cause: 'peer' }]);
    transport.deliver(READY_TEXT);
    transport.deliver(first);
    expect(listener.texts.map((text) => text)).toEqual([]);
    expect(transport.closes).toEqual([]);
    expect(toHex(first)).toBe(frames[0]?.frame);
  });
});
