import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unmaskedHeaderBytes, writeUnmaskedHeader } from '../src/frame-header.ts';
import { encodeFrame, OPCODE } from '../src/index.ts';
import { decodeStream } from './support/naive-decoder.ts';

describe('writeUnmaskedHeader', () => {
  it.each([
    [0, '8200'],
    [125, '827d'],
    [126, '827e007e'],
    [127, '827e007f'],
    [65_535, '827effff'],
    [65_536, '827f0000000000010000'],
    [4_294_967_295, '827f00000000ffffffff'],
  ])('writes a length of %i in its shortest form', (payloadBytes, hex) => {
    const into = Buffer.alloc(14, 0xee);
    writeUnmaskedHeader(into, 2, 0x82, payloadBytes);
    const headerBytes = unmaskedHeaderBytes(payloadBytes);
    expect(into.subarray(2, 2 + headerBytes).toString('hex')).toBe(hex);
    expect(into.subarray(0, 2).toString('hex')).toBe('eeee');
    expect(into.subarray(2 + headerBytes).every((byte) => byte === 0xee)).toBe(true);
  });
});

describe('encodeFrame', () => {
  it('writes one frame that a client reads back', () => {
    const lengths = fc.oneof(fc.nat(300), fc.constantFrom(65_535, 65_536, 70_000));
    fc.assert(
      fc.property(fc.boolean(), lengths, fc.nat(255), (isBinary, length, fill) => {
        const payload = Buffer.alloc(length, fill);
        const frame = encodeFrame(isBinary ? OPCODE.binary : OPCODE.text, payload);
        const decoded = decodeStream(frame, { masked: false, shortestLengths: true });
        expect(decoded.messages.map((message) => message.isBinary)).toEqual([isBinary]);
        expect(decoded.messages[0]?.payload.equals(payload)).toBe(true);
        expect(decoded.restBytes).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});
