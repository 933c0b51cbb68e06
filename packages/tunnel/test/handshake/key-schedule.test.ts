import { describe, expect, it } from 'vitest';
import { createEncryptionKeys, importEncryptionKeys } from '../../src/index.ts';
import { deriveSessionKeys } from '../../src/handshake/key-schedule.ts';
import { fromHex, toHex } from '../frame/bytes.ts';
import { agreements, badPublicJwks, firstAgreement } from './vectors.ts';

describe.each(agreements)('the agreement "$name"', ({ host, client, nonce, clientToHost, hostToClient }) => {
  it.each([
    ['Host', host, client],
    ['Client', client, host],
  ])('gives the golden keys to the %s', async (_name, own, peerPublicJwk) => {
    const { privateKey } = await importEncryptionKeys(own);
    const keys = await deriveSessionKeys({ privateKey, peerPublicJwk, nonce: fromHex(nonce) });
    expect(toHex(keys.clientToHost)).toBe(clientToHost);
    expect(toHex(keys.hostToClient)).toBe(hostToClient);
  });
});

describe('deriveSessionKeys', () => {
  const offCurve = badPublicJwks.filter(({ name }) => /curve|origin|field|swapped/.test(name));

  it.each(offCurve)('rejects, by the platform alone, a key that is none: $name', async ({ jwk }) => {
    const { privateKey } = await createEncryptionKeys();
    const nonce = fromHex(firstAgreement().nonce);
    await expect(
      deriveSessionKeys({ privateKey, peerPublicJwk: jwk as never, nonce }),
    ).rejects.toHaveProperty('name', 'DataError');
  });
});
