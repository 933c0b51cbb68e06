import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeFrame,
  MAX_PAYLOAD_BYTES,
  MAX_PLAINTEXT_BYTES,
  packPlaintext,
  parseFrame,
  type TunnelFrame,
  unpackPlaintext,
} from '../../src/index.ts';
import { frame } from './arbitraries.ts';
import { fromHex, toHex } from './bytes.ts';
import { brokenPlaintexts, goodPlaintexts, toleratedPlaintexts } from './vectors.ts';

const BATCHING = { isBatching: true };
const PLAIN = { isBatching: false };

function framesOf(texts: readonly string[]): TunnelFrame[] {
  return texts.map((text) => {
    const frame = parseFrame(fromHex(text));
    if (frame === undefined) throw new Error('a vector holds a broken frame');
    return frame;
  });
}

function body(length: number): TunnelFrame {
  return { type: 2, hasMore: false, streamId: 1, payload: new Uint8Array(length).fill(7) };
}

describe('packPlaintext', () => {
  it.each(goodPlaintexts)('writes the golden bytes of $frames', ({ isBatching, frames, plaintext }) => {
    expect(toHex(packPlaintext(framesOf(frames), { isBatching }))).toBe(plaintext);
  });

  it('throws for no frame, and for several without batching', () => {
    expect(() => packPlaintext([], BATCHING)).toThrow(RangeError);
    expect(() => packPlaintext([], PLAIN)).toThrow(RangeError);
    expect(() => packPlaintext([body(1), body(1)], PLAIN)).toThrow(RangeError);
  });

  it('fills a plaintext to the limit, and throws one byte over it', () => {
    // A kind byte, two lengths, two headers.
    const room = MAX_PLAINTEXT_BYTES - 1 - 2 * (4 + 5);
    expect(packPlaintext([body(room - 9), body(9)], BATCHING)).toHaveLength(MAX_PLAINTEXT_BYTES);
    expect(() => packPlaintext([body(room - 9), body(10)], BATCHING)).toThrow(RangeError);
  });

  it('takes the longest frame either way, and in a batch', () => {
    expect(packPlaintext([body(MAX_PAYLOAD_BYTES)], PLAIN)).toHaveLength(MAX_PLAINTEXT_BYTES - 5);
    expect(packPlaintext([body(MAX_PAYLOAD_BYTES)], BATCHING)).toHaveLength(MAX_PLAINTEXT_BYTES - 4);
    expect(unpackPlaintext(batchOfOne(body(MAX_PAYLOAD_BYTES)), BATCHING)).toEqual([body(MAX_PAYLOAD_BYTES)]);
    expect(() => packPlaintext([body(MAX_PAYLOAD_BYTES + 1)], BATCHING)).toThrow(RangeError);
  });
});

/** The longest plaintext there can be: what another sender may make of one frame. */
function batchOfOne(frame: TunnelFrame): Uint8Array {
  const bytes = encodeFrame(frame);
  const plaintext = new Uint8Array(5 + bytes.length);
  const view = new DataView(plaintext.buffer);
  view.setUint8(0, 1);
  view.setUint32(1, bytes.length);
  plaintext.set(bytes, 5);
  return plaintext;
}

describe('unpackPlaintext', () => {
  it.each([...goodPlaintexts, ...toleratedPlaintexts])(
    'reads $frames from $plaintext',
    ({ isBatching, frames, plaintext }) => {
      expect(unpackPlaintext(fromHex(plaintext), { isBatching })).toEqual(framesOf(frames));
    },
  );

  it.each(brokenPlaintexts)('refuses: $name (batching: $isBatching)', ({ isBatching, plaintext }) => {
    expect(unpackPlaintext(fromHex(plaintext), { isBatching })).toBeUndefined();
  });

  it('refuses a plaintext over the limit, whatever is in it', () => {
    const two = packPlaintext([body(MAX_PLAINTEXT_BYTES - 1 - 18 - 1), body(1)], BATCHING);
    expect(unpackPlaintext(two, BATCHING)).toHaveLength(2);
    const over = new Uint8Array(two.length + 9);
    over.set(two);
    over.set([0, 0, 0, 5, 4, 0, 0, 0, 1], two.length);
    expect(unpackPlaintext(over, BATCHING)).toBeUndefined();
  });

  it('refuses a payload that is too long without batching', () => {
    expect(unpackPlaintext(new Uint8Array(MAX_PAYLOAD_BYTES + 5), PLAIN)).toHaveLength(1);
    expect(unpackPlaintext(new Uint8Array(MAX_PAYLOAD_BYTES + 6), PLAIN)).toBeUndefined();
  });

  it('reads back whatever can be packed', () => {
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 40 }), (frames) => {
        expect(unpackPlaintext(packPlaintext(frames, BATCHING), BATCHING)).toEqual(frames);
        const [first = body(0)] = frames;
        expect(unpackPlaintext(packPlaintext([first], PLAIN), PLAIN)).toEqual([first]);
      }),
    );
  });
});
