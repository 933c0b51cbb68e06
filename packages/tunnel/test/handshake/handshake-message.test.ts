import { describe, expect, it } from 'vitest';
import { formatHello, formatReady, parseHandshakeMessage } from '../../src/handshake/handshake-message.ts';
import { parseHostEncPubJwk } from '../../src/index.ts';
import { fromHex } from '../frame/bytes.ts';
import { handshakeTexts } from './vectors.ts';

const { hello, ready, toleratedHello, toleratedReady, malformedHello, malformedReady, ignored } =
  handshakeTexts;
const clientPubJwk = parseHostEncPubJwk(handshakeTexts.clientPubJwk);
if (clientPubJwk === undefined) throw new Error('the key of the vectors is none');
const nonce = fromHex(handshakeTexts.nonce);

describe('a hello', () => {
  it.each(hello)('has the golden text $name', ({ offersBatching, text }) => {
    expect(formatHello({ clientPubJwk, nonce, offersBatching })).toBe(text);
  });

  it.each([...hello, ...toleratedHello])('is read: $name', ({ offersBatching, text }) => {
    const hello = { clientPubJwk, nonce, offersBatching };
    expect(parseHandshakeMessage(text)).toEqual({ type: 'hello', hello });
  });

  it.each(malformedHello)('is malformed: $name', ({ text }) => {
    expect(parseHandshakeMessage(text)).toEqual({ type: 'malformed', claims: 'hello' });
  });
});

describe('a ready', () => {
  it.each(ready)('has the golden text $name', ({ isBatching, text }) => {
    expect(formatReady(isBatching)).toBe(text);
  });

  it.each([...ready, ...toleratedReady])('is read: $name', ({ isBatching, text }) => {
    expect(parseHandshakeMessage(text)).toEqual({ type: 'ready', isBatching });
  });

  it.each(malformedReady)('is malformed: $name', ({ text }) => {
    expect(parseHandshakeMessage(text)).toEqual({ type: 'malformed', claims: 'ready' });
  });
});

describe('a text', () => {
  it.each(ignored)('that is no handshake message is none: %s', (text) => {
    expect(parseHandshakeMessage(text)).toBeUndefined();
  });

  it('is not looked at above 16384 characters', () => {
    const [{ text } = { text: '' }] = ready;
    expect(parseHandshakeMessage(text.padEnd(16_384))?.type).toBe('ready');
    expect(parseHandshakeMessage(text.padEnd(16_385))).toBeUndefined();
  });
});
