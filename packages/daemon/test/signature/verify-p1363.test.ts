import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyP1363 } from '../../src/signature/verify-p1363.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const text = 'tëxt';
const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });

describe('verifyP1363', () => {
  it('takes a signature over the UTF-8 of the text, and over no other', () => {
    expect(verifyP1363(publicKey, text, signature)).toBe(true);
    expect(verifyP1363(publicKey, `${text} `, signature)).toBe(false);
  });

  it('is no for every other length', () => {
    for (const length of [0, 1, 62, 63, 65, 66, 128, 1000]) {
      const other = Buffer.alloc(length);
      signature.copy(other);
      expect(verifyP1363(publicKey, text, other)).toBe(false);
    }
  });
});
