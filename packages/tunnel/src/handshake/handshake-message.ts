import { decodeBase64url, encodeBase64url, type PublicJwk } from '@openchambery/protocol';
import { type JsonObject, parseJsonObject } from '../frame/json.ts';
import { parseHostEncPubJwk } from './public-jwk.ts';

const VERSION = 1;

/** Bytes in a hello's nonce. */
export const NONCE_BYTES = 16;

/** Longer texts, in UTF-16 units, are no handshake messages: a hello has some 250. */
const MAX_TEXT_LENGTH = 16_384;

/** What a Client proposes. */
export interface Hello {
  readonly clientPubJwk: PublicJwk;
  /** 16 bytes. */
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly offersBatching: boolean;
}

/** What a text of Layer 2 can be. */
export type HandshakeMessage =
  | { readonly type: 'hello'; readonly hello: Hello }
  | { readonly type: 'ready'; readonly isBatching: boolean }
  /** Claims to be a hello or a ready, and is not one of this version. */
  | { readonly type: 'malformed'; readonly claims: 'hello' | 'ready' };

/** Writes the text of a hello. */
export function formatHello(hello: Hello): string {
  const { kty, crv, x, y } = hello.clientPubJwk;
  return JSON.stringify({
    t: 'hello',
    v: VERSION,
    clientPubJwk: { kty, crv, x, y },
    nonce: encodeBase64url(hello.nonce),
    ...(hello.offersBatching ? { batch: true } : {}),
  });
}

/** Writes the text of a ready. */
export function formatReady(isBatching: boolean): string {
  return JSON.stringify({ t: 'ready', v: VERSION, ...(isBatching ? { batch: true } : {}) });
}

/** Reads a text; `undefined` when it is no handshake message. Unknown members are ignored. Never throws. */
export function parseHandshakeMessage(text: string): HandshakeMessage | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const value = parseJsonObject(text);
  switch (value?.['t']) {
    case 'hello':
      return parseHello(value) ?? { type: 'malformed', claims: 'hello' };
    case 'ready':
      if (value['v'] !== VERSION) return { type: 'malformed', claims: 'ready' };
      return { type: 'ready', isBatching: value['batch'] === true };
    default:
      return undefined;
  }
}

/** Whether two hellos ask for the same keys. */
export function isSameHello(one: Hello, other: Hello): boolean {
  if (one.clientPubJwk.x !== other.clientPubJwk.x || one.clientPubJwk.y !== other.clientPubJwk.y)
    return false;
  return one.nonce.every((byte, index) => byte === other.nonce[index]);
}

function parseHello(value: JsonObject): HandshakeMessage | undefined {
  if (value['v'] !== VERSION || typeof value['nonce'] !== 'string') return undefined;
  const nonce = decodeBase64url(value['nonce'], NONCE_BYTES);
  const clientPubJwk = parseHostEncPubJwk(value['clientPubJwk']);
  if (nonce === undefined || clientPubJwk === undefined) return undefined;
  return { type: 'hello', hello: { clientPubJwk, nonce, offersBatching: value['batch'] === true } };
}
