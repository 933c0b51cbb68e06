import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalPublicKeyText,
  deriveServerId,
  encodeBase64url,
  formatPublicKeyField,
  isServerId,
  parsePublicKeyField,
  type PublicJwk,
} from '../src/index.ts';
import { badPublicKeys, identities } from './vectors.ts';

const coordinate = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(encodeBase64url);
const jwk: fc.Arbitrary<PublicJwk> = fc.record({
  crv: fc.constant('P-256'),
  kty: fc.constant('EC'),
  x: coordinate,
  y: coordinate,
});

describe.each(identities)('the identity "$name"', ({ privateJwk, publicKeyText, pk, serverId }) => {
  it('has the golden public key text, without the private half', () => {
    expect(canonicalPublicKeyText(privateJwk)).toBe(publicKeyText);
    expect(formatPublicKeyField(privateJwk)).toBe(pk);
  });

  it('is read from its public key field', () => {
    const { d: _secret, ...publicJwk } = privateJwk;
    expect(parsePublicKeyField(pk)).toEqual({ jwk: publicJwk, text: publicKeyText });
  });

  it('has the golden serverId', async () => {
    expect(await deriveServerId(publicKeyText)).toBe(serverId);
    expect(await deriveServerId(privateJwk)).toBe(serverId);
    expect(createHash('sha256').update(publicKeyText).digest('base64url')).toBe(serverId);
    expect(isServerId(serverId)).toBe(true);
  });
});

describe('parsePublicKeyField', () => {
  it.each(badPublicKeys.filter(({ fault }) => fault === 'form'))('refuses: $name', ({ pk }) => {
    expect(parsePublicKeyField(pk)).toBeUndefined();
  });

  it.each(badPublicKeys.filter(({ fault }) => fault === 'curve'))(
    'leaves to the verifier: $name',
    ({ pk }) => {
      const parsed = parsePublicKeyField(pk);
      expect(parsed).toBeDefined();
      expect(() => createPublicKey({ key: { ...parsed?.jwk }, format: 'jwk' })).toThrow('Invalid JWK');
    },
  );

  it('reads the keys Node generates', () => {
    const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
      format: 'jwk',
    });
    const key: PublicJwk = { crv: 'P-256', kty: 'EC', x, y };
    expect(parsePublicKeyField(formatPublicKeyField(key))?.jwk).toEqual(key);
  });

  it('reads back what was written', () => {
    fc.assert(
      fc.property(jwk, (key) => {
        expect(parsePublicKeyField(formatPublicKeyField(key))).toEqual({
          jwk: key,
          text: canonicalPublicKeyText(key),
        });
      }),
    );
  });

  it('takes one field for one key, whatever one character is changed to', () => {
    const [first] = identities;
    const pk = first?.pk ?? '';
    fc.assert(
      fc.property(fc.nat(pk.length - 1), fc.string({ minLength: 0, maxLength: 2 }), (index, character) => {
        const changed = pk.slice(0, index) + character + pk.slice(index + 1);
        const parsed = parsePublicKeyField(changed);
        expect([changed, undefined]).toContain(parsed && formatPublicKeyField(parsed.jwk));
      }),
      { numRuns: 1000 },
    );
  });

  it('never throws', () => {
    const anyBytes = fc.uint8Array({ minLength: 126, maxLength: 126 }).map(encodeBase64url);
    const pk = fc.oneof(fc.string({ unit: 'binary' }), anyBytes);
    const property = fc.property(pk, (text) => void parsePublicKeyField(text));
    expect(() => fc.assert(property)).not.toThrow();
  });
});
