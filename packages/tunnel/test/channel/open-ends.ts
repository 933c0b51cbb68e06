import { FakeClock } from '@openchambery/testkit';
import { encodeBase64url } from '@openchambery/protocol';
import { createNodeAeadKey } from '../../src/node/index.ts';
import {
  type ImportAeadKey,
  importEncryptionKeys,
  openClientChannel,
  openHostChannel,
  type SecureChannel,
  type SpentHellos,
} from '../../src/index.ts';
import { directionOf } from '../cipher/vectors.ts';
import { fromHex } from '../frame/bytes.ts';
import { firstAgreement, handshakeTexts } from '../handshake/vectors.ts';
import { MemoryTransport } from './memory-transport.ts';
import { RecordingListener } from './recording-listener.ts';

export const HELLO_TEXT = handshakeTexts.hello[1]?.text ?? '';
export const READY_TEXT = handshakeTexts.ready[1]?.text ?? '';
/** A hello of the same Client key with a nonce of its own. */
export const OTHER_NONCE_HELLO: string = HELLO_TEXT.replace(
  encodeBase64url(fromHex(handshakeTexts.nonce)),
  'AAAAAAAAAAAAAAAAAAAAAA',
);

/** One end of a channel, with everything around it. */
export interface OpenEnd {
  readonly channel: SecureChannel;
  readonly transport: MemoryTransport;
  readonly listener: RecordingListener;
  readonly clock: FakeClock;
}

interface EndOptions {
  readonly importAeadKey?: ImportAeadKey;
  readonly offersBatching?: boolean;
}

interface HostEndOptions extends EndOptions {
  readonly spentHellos?: SpentHellos;
}

/** A Client whose key, nonce and IV are those of the vectors. */
export function openVectorClient(options: EndOptions = {}): OpenEnd {
  const { host, client, nonce } = firstAgreement();
  const random = [fromHex(nonce), fromHex(directionOf('clientToHost').ivPrefix)];
  const [transport, listener, clock] = [new MemoryTransport(), new RecordingListener(), new FakeClock()];
  const channel = openClientChannel(
    {
      transport,
      clock,
      hostEncPubJwk: host,
      createKeys: async () => importEncryptionKeys(client),
      random: (byteLength) => take(random, byteLength),
      importAeadKey: createNodeAeadKey,
      ...options,
    },
    listener,
  );
  return { channel, transport, listener, clock };
}

/** A Host whose key and IV are those of the vectors. */
export async function openVectorHost(options: HostEndOptions = {}): Promise<OpenEnd> {
  const encryptionKeys = await importEncryptionKeys(firstAgreement().host);
  const random = [fromHex(directionOf('hostToClient').ivPrefix)];
  const [transport, listener, clock] = [new MemoryTransport(), new RecordingListener(), new FakeClock()];
  const channel = openHostChannel(
    {
      transport,
      clock,
      encryptionKeys,
      random: (byteLength) => take(random, byteLength),
      importAeadKey: createNodeAeadKey,
      ...options,
    },
    listener,
  );
  return { channel, transport, listener, clock };
}

/** A Client that has said hello. */
export async function openGreetingClient(options: EndOptions = {}): Promise<OpenEnd> {
  const end = openVectorClient(options);
  await sent(end.transport, 1);
  return end;
}

/** A Client that has been answered. */
export async function openReadyClient(options: EndOptions = {}): Promise<OpenEnd> {
  const end = await openGreetingClient(options);
  end.transport.deliver(READY_TEXT);
  return end;
}

/** A Host that has answered. */
export async function openReadyHost(options: HostEndOptions = {}): Promise<OpenEnd> {
  const end = await openVectorHost(options);
  end.transport.deliver(HELLO_TEXT);
  await end.listener.until(() => end.listener.established.length > 0);
  return end;
}

/** Resolves when `count` messages have been sent. */
async function sent(transport: MemoryTransport, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const look = (): void => {
    if (transport.sent.length >= count) resolve(undefined);
  };
  transport.onSent = look;
  look();
  await promise;
  transport.onSent = undefined;
}

function take(values: Uint8Array<ArrayBuffer>[], byteLength: number): Uint8Array<ArrayBuffer> {
  const value = values.shift();
  if (value?.length !== byteLength) throw new Error(`nobody should ask for ${byteLength} bytes here`);
  return value;
}
