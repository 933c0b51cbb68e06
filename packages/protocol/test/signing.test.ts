import { createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeBase64url,
  parsePublicKeyField,
  parseTimestamp,
  SIGNATURE_BYTES,
  signingText,
} from '../src/index.ts';
import { signatures } from './vectors.ts';

describe('signingText', () => {
  it.each(signatures)('is the golden text: $name', ({ text, ...vector }) => {
    expect(signingText(vector)).toBe(text);
  });

  it.each(signatures)(
    'is what the golden signature is over, or not: $name',
    ({ text, pk, sig, verifies }) => {
      const signature = decodeBase64url(sig, SIGNATURE_BYTES);
      const key = createPublicKey({ key: { ...parsePublicKeyField(pk)?.jwk }, format: 'jwk' });
      const isValid =
        signature !== undefined &&
        verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature);
      expect(isValid).toBe(verifies);
    },
  );

  it('ends with a dot when there is no connectionId', () => {
    expect(signingText({ ts: '1', serverId: 's', role: 'host-control' })).toBe('1.s.host-control.');
  });
});

describe('parseTimestamp', () => {
  it.each([
    ['0', 0],
    ['1', 1],
    ['1700000000000', 1_700_000_000_000],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9999999999999999', 1e16],
  ])('reads %s', (text, expected) => {
    expect(parseTimestamp(text)).toBe(expected);
  });

  it.each([
    '',
    '00',
    '01',
    '-1',
    '+1',
    '1.0',
    '1e3',
    '0x1',
    ' 1',
    '1\n',
    '١',
    '1_000',
    '10000000000000000',
    'Infinity',
  ])('refuses %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it('reads every whole number of ms, as JavaScript writes it', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (ms) => {
        expect(parseTimestamp(String(ms))).toBe(ms);
      }),
    );
  });

  it('never throws', () => {
    const property = fc.property(fc.string({ unit: 'binary' }), (text) => void parseTimestamp(text));
    expect(() => fc.assert(property)).not.toThrow();
  });
});
