import { isDeepStrictEqual } from 'node:util';
import { formatHello, formatReady, parseHandshakeMessage } from '../src/handshake/handshake-message.ts';
import {
  encodeFrame,
  formatPairingLink,
  FRAME_TYPE,
  FragmentAssembler,
  MAX_PAYLOAD_BYTES,
  packPlaintext,
  parseFrame,
  parseHostEncPubJwk,
  parsePairingLink,
  type TunnelFrame,
  unpackPlaintext,
} from '../src/index.ts';
import { frameSeeds, handshakeSeeds, jwkSeeds, linkSeeds, plaintextSeeds } from './seeds.ts';

/** Something that parses what strangers send, with valid examples, and what must hold for anything it is given. */
export interface FuzzTarget {
  readonly name: string;
  readonly seeds: readonly Uint8Array[];
  /** What is wrong; `undefined` when all is well. Throws only when the target does. */
  check(bytes: Uint8Array): string | undefined;
}

const decoder = new TextDecoder();

function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

function checkFrame(bytes: Uint8Array): string | undefined {
  const frame = parseFrame(bytes);
  if (frame === undefined)
    return bytes.length >= 5 && bytes.length <= 5 + MAX_PAYLOAD_BYTES ? 'refused' : undefined;
  return isDeepStrictEqual(encodeFrame(frame), Uint8Array.from(bytes))
    ? undefined
    : 'written otherwise than read';
}

function checkPlaintext(bytes: Uint8Array, isBatching: boolean): string | undefined {
  const frames = unpackPlaintext(bytes, { isBatching });
  if (frames === undefined) return undefined;
  if (frames.length === 0) return 'a plaintext without a frame';
  if (frames.some(({ payload }) => payload.length > MAX_PAYLOAD_BYTES)) return 'a payload over the limit';
  // A batch of one is the one form that this side never writes.
  if (isBatching && bytes[0] === 1 && frames.length === 1) return undefined;
  const packed = packPlaintext(frames, { isBatching });
  return isDeepStrictEqual(packed, Uint8Array.from(bytes)) ? undefined : 'written otherwise than read';
}

function checkAssembly(bytes: Uint8Array): string | undefined {
  const assembler = new FragmentAssembler(200);
  for (const frame of unpackPlaintext(bytes, { isBatching: true }) ?? []) {
    if (!isMessageFrame(frame)) continue;
    const result = assembler.add(frame);
    if (assembler.bufferedBytes > 200) return 'more waits than a message may have';
    if (result.state !== 'incomplete' && assembler.bufferedBytes !== 0)
      return 'something waits after a message';
    if (result.state === 'message' && result.message.length > 200) return 'a message over the limit';
  }
  return undefined;
}

function isMessageFrame({ type }: TunnelFrame): boolean {
  return type === FRAME_TYPE.wsText || type === FRAME_TYPE.wsBinary;
}

function checkHandshake(bytes: Uint8Array): string | undefined {
  const message = parseHandshakeMessage(textOf(bytes));
  if (message?.type === 'hello') {
    if (message.hello.nonce.length !== 16) return 'a nonce of another length';
    const again = parseHandshakeMessage(formatHello(message.hello));
    return isDeepStrictEqual(again, message) ? undefined : 'written otherwise than read';
  }
  if (message?.type !== 'ready') return undefined;
  const again = parseHandshakeMessage(formatReady(message.isBatching));
  return isDeepStrictEqual(again, message) ? undefined : 'written otherwise than read';
}

function checkJwk(bytes: Uint8Array): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(textOf(bytes));
  } catch {
    value = textOf(bytes);
  }
  const jwk = parseHostEncPubJwk(value);
  if (jwk === undefined) return undefined;
  return isDeepStrictEqual(Object.keys(jwk).sort(), ['crv', 'kty', 'x', 'y']) ? undefined : 'members left in';
}

function checkLink(bytes: Uint8Array): string | undefined {
  const facts = parsePairingLink(textOf(bytes));
  if ('fault' in facts) return facts.message === '' ? 'a fault without a message' : undefined;
  const again = parsePairingLink(formatPairingLink(facts, 'https://page.example/?v=1#old'));
  return isDeepStrictEqual(again, facts) ? undefined : 'written otherwise than read';
}

/** Parsers of frames, plaintexts, texts of the handshake, keys and links. */
export const FORMAT_TARGETS: readonly FuzzTarget[] = [
  { name: 'frame', seeds: frameSeeds, check: checkFrame },
  { name: 'plaintext', seeds: plaintextSeeds, check: (bytes) => checkPlaintext(bytes, true) },
  { name: 'plaintext without batching', seeds: frameSeeds, check: (bytes) => checkPlaintext(bytes, false) },
  { name: 'fragments', seeds: plaintextSeeds, check: checkAssembly },
  { name: 'handshake text', seeds: handshakeSeeds, check: checkHandshake },
  { name: 'public key', seeds: jwkSeeds, check: checkJwk },
  { name: 'pairing link', seeds: linkSeeds, check: checkLink },
];
