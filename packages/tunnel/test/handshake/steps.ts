import { formatHello, formatReady } from '../../src/handshake/handshake-message.ts';
import { parseHostEncPubJwk } from '../../src/index.ts';
import { agreements } from './vectors.ts';

/** A hello of one of two keys, with one of two nonces. */
export function helloText(key: number, nonceByte: number, offersBatching = true): string {
  const clientPubJwk = parseHostEncPubJwk(agreements[key === 0 ? 0 : 2]?.client);
  if (clientPubJwk === undefined) throw new Error('the key of the vectors is none');
  return formatHello({ clientPubJwk, nonce: new Uint8Array(16).fill(nonceByte), offersBatching });
}

/** Everything a peer or a relay could put in front of a handshake, by name. */
export const MESSAGES: Readonly<Record<string, string | undefined>> = {
  hello: helloText(0, 1),
  'hello, other key': helloText(1, 1),
  'hello, other nonce': helloText(0, 2),
  'malformed hello': '{"t":"hello","v":1}',
  ready: formatReady(false),
  'ready to batch': formatReady(true),
  'malformed ready': '{"t":"ready","v":2}',
  'other text': '{"t":"later"}',
  ciphertext: undefined,
};
