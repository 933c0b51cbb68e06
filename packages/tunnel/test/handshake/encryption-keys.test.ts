import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createEphemeralKeys } from '../../src/handshake/encryption-keys.ts';
import {
  createEncryptionKeys,
  exportEncryptionKeys,
  importEncryptionKeys,
  parseHostEncPubJwk,
} from '../../src/index.ts';
import { agreements, badPublicJwks, firstAgreement } from './vectors.ts';

describe('encryption keys', () => {
  it('can be stored and taken up again', async () => {
    const keys = await createEncryptionKeys();
    const stored = await exportEncryptionKeys(keys);
    expect(Object.keys(stored).sort()).toEqual(['crv', 'd', 'kty', 'x', 'y']);
    const again = await importEncryptionKeys(stored);
    expect(again.publicJwk).toEqual(keys.publicJwk);
    expect(await exportEncryptionKeys(again)).toEqual(stored);
  });

  it.each(agreements)('of the agreement "$name" are taken up', async ({ host }) => {
    const { d: _secret, ...publicJwk } = host;
    const keys = await importEncryptionKeys(host);
    expect(keys.publicJwk).toEqual(publicJwk);
    expect(await exportEncryptionKeys(keys)).toEqual(host);
  });

  it('are refused when their halves do not belong together', async () => {
    const [first, , other] = agreements;
    await expect(
      importEncryptionKeys({ ...firstAgreement().client, d: other?.client.d ?? '' }),
    ).rejects.toHaveProperty('name', expect.stringMatching(/Error$/));
    await expect(importEncryptionKeys({ ...firstAgreement().host, d: '' })).rejects.toHaveProperty(
      'name',
      expect.stringMatching(/Error$/),
    );
    expect(first?.client.d).not.toBe(other?.client.d);
  });

  it('of one connection cannot be taken out', async () => {
    await expect(exportEncryptionKeys(await createEphemeralKeys())).rejects.toHaveProperty(
      'name',
      expect.stringMatching(/Error$/),
    );
  });
});

describe('parseHostEncPubJwk', () => {
  it.each(badPublicJwks)('refuses: $name', ({ jwk }) => {
    expect(parseHostEncPubJwk(jwk)).toBeUndefined();
  });

  it.each(agreements)('reads the keys of "$name", without anything else', ({ host, client }) => {
    for (const { d, ...publicJwk } of [host, client]) {
      expect(parseHostEncPubJwk({ ...publicJwk, d, ext: true, key_ops: [], later: 1 })).toEqual(publicJwk);
    }
  });

  it('reads the keys that Node makes', () => {
    for (let count = 0; count < 20; count++) {
      const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
      expect(parseHostEncPubJwk(jwk)).toEqual(jwk);
    }
  });

  it.each([undefined, 1, '', true])('refuses %s', (value) => {
    expect(parseHostEncPubJwk(value)).toBeUndefined();
  });
});
