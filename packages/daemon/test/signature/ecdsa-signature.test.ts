import { generateKeyPairSync, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derFromP1363 } from '../../src/signature/ecdsa-signature.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** What the DER says, read back by the rules of X.690 alone. */
function readDer(der: Buffer): [bigint, bigint] {
  expect(der[0]).toBe(0x30);
  expect(der[1]).toBe(der.length - 2);
  const numbers: bigint[] = [];
  for (let at = 2; at < der.length; ) {
    expect(der[at]).toBe(0x02);
    const length = der[at + 1] ?? 0;
    const digits = der.subarray(at + 2, at + 2 + length);
    expect(digits).toHaveLength(length);
    expect(length).toBeGreaterThan(0);
    // Not negative, and shortest.
    expect((digits[0] ?? 0) < 0x80).toBe(true);
    if (length > 1 && digits[0] === 0) expect((digits[1] ?? 0) >= 0x80).toBe(true);
    numbers.push(BigInt(`0x${digits.toString('hex')}`));
    at += 2 + length;
  }
  expect(numbers).toHaveLength(2);
  return [numbers[0] ?? 0n, numbers[1] ?? 0n];
}

describe('derFromP1363', () => {
  it('keeps both numbers, whatever they are', () => {
    const half = fc.oneof(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      // Leading zeros and the bit that would be a sign are where encodings go wrong.
      fc.tuple(fc.nat(32), fc.integer({ min: 0, max: 255 })).map(([zeros, first]) => {
        const bytes = new Uint8Array(32).fill(7);
        bytes.fill(0, 0, zeros);
        if (zeros < 32) bytes[zeros] = first;
        return bytes;
      }),
    );
    fc.assert(
      fc.property(half, half, (r, s) => {
        const [readR, readS] = readDer(derFromP1363(Buffer.concat([r, s])));
        expect(readR).toBe(BigInt(`0x${Buffer.from(r).toString('hex')}`));
        expect(readS).toBe(BigInt(`0x${Buffer.from(s).toString('hex')}`));
      }),
      { numRuns: 500 },
    );
  });

  it('verifies what Node verifies in the other form', () => {
    for (let i = 0; i < 200; i++) {
      const text = Buffer.from(`text ${i}`);
      const signature = sign('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      expect(verify('sha256', text, publicKey, derFromP1363(signature))).toBe(true);
      signature.writeUInt8(signature.readUInt8(63) ^ 1, 63);
      expect(verify('sha256', text, publicKey, derFromP1363(signature))).toBe(false);
    }
  });

  it('never verifies a signature of zeros', () => {
    expect(verify('sha256', Buffer.from('x'), publicKey, derFromP1363(new Uint8Array(64)))).toBe(false);
  });
});
