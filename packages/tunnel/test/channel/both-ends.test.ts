import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createEncryptionKeys,
  type ImportAeadKey,
  openClientChannel,
  openHostChannel,
  type SecureChannel,
  webCryptoAeadKey,
} from '../../src/index.ts';
import { createNodeAeadKey } from '../../src/node/index.ts';
import { toHex } from '../frame/bytes.ts';
import { settle } from './ciphers.ts';
import { join, MemoryTransport } from './memory-transport.ts';
import { RecordingListener } from './recording-listener.ts';

const encryptionKeys = await createEncryptionKeys();

interface Side {
  readonly channel: SecureChannel;
  readonly transport: MemoryTransport;
  readonly listener: RecordingListener;
}

interface Pair {
  readonly client: Side;
  readonly host: Side;
}

async function openPair(clientCipher: ImportAeadKey, hostCipher: ImportAeadKey): Promise<Pair> {
  const [ofClient, ofHost] = [new MemoryTransport(), new MemoryTransport()];
  const [clientListener, hostListener] = [new RecordingListener(), new RecordingListener()];
  join(ofClient, ofHost);
  const host = openHostChannel(
    { transport: ofHost, encryptionKeys, importAeadKey: hostCipher },
    hostListener,
  );
  const client = openClientChannel(
    { transport: ofClient, hostEncPubJwk: encryptionKeys.publicJwk, importAeadKey: clientCipher },
    clientListener,
  );
  await clientListener.until(() => clientListener.established.length > 0);
  return {
    client: { channel: client, transport: ofClient, listener: clientListener },
    host: { channel: host, transport: ofHost, listener: hostListener },
  };
}

function close({ client, host }: Pair): void {
  client.channel.close({ code: 1000, reason: '' });
  host.channel.close({ code: 1000, reason: '' });
}

/** Answers at once for plaintexts of an even length, and later for others. */
const capricious: ImportAeadKey = async (rawKey) => {
  const [early, late] = [createNodeAeadKey(rawKey), await webCryptoAeadKey(rawKey)];
  const choose = (bytes: Uint8Array): typeof late => (bytes.length % 2 === 0 ? early : late);
  return {
    seal: (iv, plaintext) => choose(plaintext).seal(iv, plaintext),
    open: (frame) => choose(frame).open(frame),
  };
};

describe('two ends', () => {
  it.each<[string, ImportAeadKey, ImportAeadKey]>([
    ['WebCrypto on both', webCryptoAeadKey, webCryptoAeadKey],
    ['WebCrypto at the Client', webCryptoAeadKey, createNodeAeadKey],
    ['WebCrypto at the Host', createNodeAeadKey, webCryptoAeadKey],
    ['ciphers that answer as they please', capricious, capricious],
  ])('pass everything on, in order, both ways: %s', async (_name, clientCipher, hostCipher) => {
    const step = fc.record({ fromClient: fc.boolean(), plaintext: fc.uint8Array({ maxLength: 40 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const pair = await openPair(clientCipher, hostCipher);
        const { client, host } = pair;
        await host.listener.until(() => host.listener.established.length > 0);
        for (const { fromClient, plaintext } of steps) {
          (fromClient ? client : host).channel.send(plaintext);
          if (plaintext.length % 7 === 0) await Promise.resolve();
        }
        const expected = (fromClient: boolean): string[] =>
          steps.filter((step) => step.fromClient === fromClient).map(({ plaintext }) => toHex(plaintext));
        await client.listener.until(() => client.listener.plaintexts.length >= expected(false).length);
        await host.listener.until(() => host.listener.plaintexts.length >= expected(true).length);
        expect(client.listener.texts).toEqual(expected(false));
        expect(host.listener.texts).toEqual(expected(true));
        close(pair);
      }),
      { numRuns: 15 },
    );
  });

  it('let nothing through that somebody between them has changed, dropped back, or made up', async () => {
    const tampering = fc.record({
      at: fc.nat(7),
      how: fc.constantFrom('flip', 'repeat', 'cut', 'text', 'made up'),
      byte: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(tampering, async ({ at, how, byte }) => {
        const pair = await openPair(createNodeAeadKey, createNodeAeadKey);
        const { client, host } = pair;
        client.transport.onSent = undefined;
        for (let index = 0; index < 8; index++) client.channel.send(Uint8Array.of(index, 1, 2, 3));
        const frames = client.transport.frames;
        for (const [index, frame] of frames.entries()) {
          if (index === at) host.transport.deliver(tamper(frame, { how, byte }));
          if (index === at && how === 'repeat') host.transport.deliver(frame);
          if (index !== at) host.transport.deliver(frame);
        }
        await settle();
        const intact = how === 'repeat' ? at + 1 : at;
        expect(host.listener.plaintexts.map(([first]) => first)).toEqual(
          Array.from({ length: intact }, (_, index) => index),
        );
        expect(host.listener.ends).toMatchObject([{ code: 1011, cause: 'fault' }]);
        close(pair);
      }),
      { numRuns: 40 },
    );
  });

  it('let frames be lost by somebody between them, but never come out of order', async () => {
    const pair = await openPair(createNodeAeadKey, createNodeAeadKey);
    const { client, host } = pair;
    client.transport.onSent = undefined;
    for (let index = 0; index < 3; index++) client.channel.send(Uint8Array.of(index));
    const [, second = new Uint8Array(), third = new Uint8Array()] = client.transport.frames;
    host.transport.deliver(third);
    host.transport.deliver(second);
    await settle();
    expect(host.listener.plaintexts.map(([first]) => first)).toEqual([2]);
    expect(host.listener.ends).toMatchObject([{ code: 1011 }]);
    close(pair);
  });
});

function tamper(frame: Uint8Array, { how, byte }: { how: string; byte: number }): string | Uint8Array {
  switch (how) {
    case 'flip': {
      const changed = Uint8Array.from(frame);
      const at = byte % changed.length;
      changed[at] = (changed[at] ?? 0) ^ (1 << (byte % 8));
      return changed;
    }
    case 'cut':
      return frame.subarray(0, byte % frame.length);
    case 'text':
      return '{"t":"ready","v":1,"batch":true}';
    case 'made up':
      return Uint8Array.from({ length: 40 }, (_, index) => (index === 0 ? 1 : byte % 251));
    default:
      return frame;
  }
}
