import { decodeBase64url, encodeBase64url } from '@openchambery/protocol';
import { formatHello, formatReady } from '../../src/handshake/handshake-message.ts';
import { parseHostEncPubJwk } from '../../src/index.ts';
import { fromHex, toHex } from '../frame/bytes.ts';
import { agreements } from './vectors.ts';

const P256_FIELD = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;

/** A hello of one of two keys, with one of two nonces. */
export function helloText(key: number, nonceByte: number, offersBatching = true): string {
  const clientPubJwk = parseHostEncPubJwk(agreements[key === 0 ? 0 : 2]?.client);
  if (clientPubJwk === undefined) throw new Error('the key of the vectors is none');
  return formatHello({ clientPubJwk, nonce: new Uint8Array(16).fill(nonceByte), offersBatching });
}

/** The first hello with the point mirrored: another key, though it leads to the same secret. */
function mirroredHelloText(): string {
  const text = helloText(0, 1);
  const y = decodeBase64url(agreements[0]?.client.y ?? '', 32) ?? new Uint8Array(32);
  const mirrored = P256_FIELD - BigInt(`0x${toHex(y)}`);
  return text.replace(encodeBase64url(y), encodeBase64url(fromHex(mirrored.toString(16).padStart(64, '0'))));
}

/** Everything a peer or a relay could put in front of a handshake, by name. */
export const MESSAGES: Readonly<Record<string, string | undefined>> = {
  hello: helloText(0, 1),
  'hello, other key': helloText(1, 1),
  'hello, mirrored key': mirroredHelloText(),
  'hello, other nonce': helloText(0, 2),
  'malformed hello': '{"t":"hello","v":1}',
  ready: formatReady(false),
  'ready to batch': formatReady(true),
  'malformed ready': '{"t":"ready","v":2}',
  'other text': '{"t":"later"}',
  ciphertext: undefined,
};
