import { describe, expect, it } from 'vitest';
import { directionOf, refusedFrames } from '../cipher/vectors.ts';
import { fromHex } from '../frame/bytes.ts';
import { helloText } from '../handshake/steps.ts';
import { handshakeTexts } from '../handshake/vectors.ts';
import { CIPHERS, settle } from './ciphers.ts';
import {
  HELLO_TEXT,
  type OpenEnd,
  openGreetingClient,
  openReadyClient,
  openReadyHost,
  openVectorClient,
  openVectorHost,
  OTHER_NONCE_HELLO,
  READY_TEXT,
} from './open-ends.ts';

const fromClient = directionOf('clientToHost').frames;
const fromHost = directionOf('hostToClient').frames;
const clientFrame = fromHex(fromClient[0]?.frame ?? '');
const hostFrame = fromHex(fromHost[0]?.frame ?? '');
const otherReady = handshakeTexts.ready[0]?.text ?? '';

async function openDerivingHost(): Promise<OpenEnd> {
  const end = await openVectorHost();
  end.transport.deliver(HELLO_TEXT);
  return end;
}

type Open = () => OpenEnd | Promise<OpenEnd>;

const RULES: readonly (readonly [string, Open, string | Uint8Array, number])[] = [
  ['Host, no hello yet: ciphertext', openVectorHost, clientFrame, 1011],
  ['Host, no hello yet: an empty binary message', openVectorHost, new Uint8Array(), 1011],
  ['Host, making keys: ciphertext', openDerivingHost, clientFrame, 1011],
  ['Host, making keys: a hello with another key', openDerivingHost, helloText(1, 1), 1008],
  ['Host, making keys: a malformed hello', openDerivingHost, '{"t":"hello","v":1}', 1011],
  ['Host, established: a hello with another key', openReadyHost, helloText(1, 1), 1008],
  ['Host, established: a hello with another nonce', openReadyHost, OTHER_NONCE_HELLO, 1008],
  ['Host, established: a malformed hello', openReadyHost, '{"t":"hello","v":1}', 1011],
  ['Host, established: a ready', openReadyHost, READY_TEXT, 1011],
  ['Host, established: another text', openReadyHost, '{}', 1011],
  ['Host, established: an empty text', openReadyHost, '', 1011],
  ['Host, established: its own ciphertext, sent back', openReadyHost, hostFrame, 1011],
  ['Client, making keys: ciphertext', openVectorClient, hostFrame, 1011],
  ['Client, before the ready: ciphertext', openGreetingClient, hostFrame, 1011],
  ['Client, before the ready: a malformed ready', openGreetingClient, '{"t":"ready","v":2}', 1011],
  ['Client, established: a ready that says otherwise', openReadyClient, otherReady, 1011],
  ['Client, established: a malformed ready', openReadyClient, '{"t":"ready"}', 1011],
  ['Client, established: a hello', openReadyClient, HELLO_TEXT, 1011],
  ['Client, established: another text', openReadyClient, '{}', 1011],
  ['Client, established: its own ciphertext, sent back', openReadyClient, clientFrame, 1011],
];

/** Whatever comes or is asked for now changes nothing any more. */
async function expectSilence({ channel, transport, listener, clock }: OpenEnd): Promise<void> {
  const [sent, told] = [transport.sent.length, listener.plaintexts.length];
  for (const message of [HELLO_TEXT, READY_TEXT, clientFrame, hostFrame, '{}']) transport.deliver(message);
  channel.send(Uint8Array.of(1));
  channel.pauseReading();
  transport.drain();
  clock.advance(100_000);
  await settle();
  transport.end({ code: 1000, reason: '' });
  await settle();
  expect(transport.sent).toHaveLength(sent);
  expect(listener.plaintexts).toHaveLength(told);
  expect(listener.ends).toHaveLength(1);
  expect(transport.closes).toHaveLength(1);
  expect(transport.isPaused).toBe(false);
  expect(clock.pendingTimers).toBe(0);
  expect(channel.pendingBytes).toBe(0);
}

describe('the channel fails closed', () => {
  it.each(RULES)('%s', async (_name, open, message, code) => {
    const end = await open();
    end.transport.deliver(message);
    expect(end.transport.closes).toMatchObject([{ code }]);
    expect(end.listener.ends).toEqual([]);
    await settle();
    expect(end.listener.ends).toMatchObject([{ code, cause: 'fault' }]);
    await expectSilence(end);
  });

  it.each(handshakeTexts.malformedHello)('Host, no hello yet: a malformed hello, %s', async ({ text }) => {
    const end = await openVectorHost();
    end.transport.deliver(text);
    await settle();
    expect(end.listener.ends).toEqual([{ code: 1011, reason: 'malformed hello', cause: 'fault' }]);
    await expectSilence(end);
  });

  describe.each(CIPHERS)('by %s', (_name, importAeadKey) => {
    it.each(refusedFrames)('Host, established: $name', async ({ before, frame }) => {
      const end = await openReadyHost({ importAeadKey });
      for (const earlier of before) end.transport.deliver(fromHex(earlier));
      end.transport.deliver(fromHex(frame));
      // Behind a frame that is refused, nothing counts, genuine or not.
      end.transport.deliver(fromHex(fromClient[3]?.frame ?? ''));
      await end.listener.until(() => end.listener.ends.length > 0);
      expect(end.listener.ends).toEqual([
        { code: 1011, reason: 'a frame could not be decrypted', cause: 'fault' },
      ]);
      expect(end.listener.plaintexts).toHaveLength(before.length);
      await expectSilence(end);
    });
  });

  it('with reasons that fit a close frame and tell nothing of what came', async () => {
    for (const [, open, message] of RULES) {
      const { transport } = await open();
      transport.deliver(message);
      const [{ reason } = { reason: 'x'.repeat(200) }] = transport.closes;
      expect(reason).toMatch(/^[a-z ]{5,60}$/);
    }
  });
});
