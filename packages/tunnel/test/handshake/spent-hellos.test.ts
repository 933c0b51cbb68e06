import { describe, expect, it } from 'vitest';
import { parseHandshakeMessage, type Hello } from '../../src/handshake/handshake-message.ts';
import { SpentHellos } from '../../src/handshake/spent-hellos.ts';
import { handshakeTexts } from './vectors.ts';

const HELLO = parseHello(handshakeTexts.hello[1]?.text ?? '');

function parseHello(text: string): Hello {
  const message = parseHandshakeMessage(text);
  if (message?.type !== 'hello') throw new Error('the vectors hold a hello');
  return message.hello;
}

function withNonce(last: number): Hello {
  const nonce = new Uint8Array(16);
  new DataView(nonce.buffer).setUint32(12, last);
  return { ...HELLO, nonce };
}

describe('hellos that are used up', () => {
  it('cannot be used again, whatever they say of batching', () => {
    const hellos = new SpentHellos();
    expect(hellos.spend(HELLO)).toBe(true);
    expect(hellos.spend(HELLO)).toBe(false);
    expect(hellos.spend({ ...HELLO, offersBatching: false })).toBe(false);
  });

  it('cannot be used again with the mirror image of their key, which makes the same secret', () => {
    const hellos = new SpentHellos();
    hellos.spend(HELLO);
    const clientPubJwk = { ...HELLO.clientPubJwk, y: HELLO.clientPubJwk.x };
    expect(hellos.spend({ ...HELLO, clientPubJwk })).toBe(false);
  });

  it('differ by nonce and by key', () => {
    const hellos = new SpentHellos();
    hellos.spend(HELLO);
    expect(hellos.spend(withNonce(1))).toBe(true);
    const clientPubJwk = { ...HELLO.clientPubJwk, x: HELLO.clientPubJwk.y };
    expect(hellos.spend({ ...HELLO, clientPubJwk })).toBe(true);
  });

  it('are remembered in bounded number, the oldest is forgotten first', () => {
    const hellos = new SpentHellos(3);
    for (const last of [1, 2, 3]) hellos.spend(withNonce(last));
    expect(hellos.spend(withNonce(1))).toBe(false);
    hellos.spend(withNonce(4));
    expect(hellos.spend(withNonce(2))).toBe(false);
    expect(hellos.spend(withNonce(1))).toBe(true);
  });
});
