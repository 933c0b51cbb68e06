import { encodeFrame, opcodes } from '@openchambery/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeMaskedFrame, FINAL_OPCODE } from '../../src/node/masked-frame.ts';

/** Undoes the mask by the letter of RFC 6455 section 5.3. */
function unmask(frame: Uint8Array, headerBytes: number): Uint8Array {
  const mask = frame.subarray(headerBytes - 4, headerBytes);
  return Uint8Array.from(frame.subarray(headerBytes), (byte, index) => byte ^ (mask[index % 4] ?? 0));
}

test.each([
  [0, 6],
  [1, 6],
  [125, 6],
  [126, 8],
  [2041, 8],
  [65_535, 8],
  [65_536, 14],
  [65_565, 14],
])('frames %i bytes behind a header of %i', (length, headerBytes) => {
  const payload = Uint8Array.from({ length }, (_, index) => index * 7);
  const frame = encodeMaskedFrame(FINAL_OPCODE.binary, payload);
  expect(frame).toHaveLength(headerBytes + length);
  const reference = encodeFrame({ opcode: opcodes.binary, payload: Buffer.from(payload) });
  expect(Buffer.from(frame.subarray(0, headerBytes - 4))).toEqual(reference.subarray(0, headerBytes - 4));
  expect(Buffer.from(unmask(frame, headerBytes))).toEqual(Buffer.from(payload));
});

test('frames any payload, wherever it lies in its buffer, and leaves it as it is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(8), (bytes, offset) => {
      const payload = bytes.subarray(Math.min(offset, bytes.length));
      const before = payload.slice();
      const frame = encodeMaskedFrame(FINAL_OPCODE.text, payload);
      expect(frame[0]).toBe(0x81);
      expect(unmask(frame, frame.length - payload.length)).toEqual(before);
      expect(payload).toEqual(before);
    }),
  );
});

test('never uses a mask for long', () => {
  const masks = Array.from({ length: 5000 }, () =>
    Buffer.from(encodeMaskedFrame(FINAL_OPCODE.binary, new Uint8Array(1)).subarray(2, 6)).toString('hex'),
  );
  expect(new Set(masks).size).toBeGreaterThan(4990);
});
