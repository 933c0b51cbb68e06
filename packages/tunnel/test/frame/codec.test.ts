import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeFrame,
  frameByteLength,
  MAX_PAYLOAD_BYTES,
  parseFrame,
  type TunnelFrame,
} from '../../src/index.ts';
import { frame } from './arbitraries.ts';
import { fromHex, toHex } from './bytes.ts';
import { badFrames, fullFrame, goodFrames } from './vectors.ts';

describe.each(goodFrames)('the frame "$name"', ({ type, hasMore, streamId, payload, bytes }) => {
  const fields: TunnelFrame = { type, hasMore, streamId, payload: fromHex(payload) };

  it('has the golden bytes', () => {
    expect(toHex(encodeFrame(fields))).toBe(bytes);
    expect(frameByteLength(fields)).toBe(bytes.length / 2);
  });

  it('is read from them', () => {
    expect(parseFrame(fromHex(bytes))).toEqual(fields);
  });
});

describe('parseFrame', () => {
  it.each(badFrames)('refuses: $name', ({ bytes }) => {
    expect(parseFrame(fromHex(bytes))).toBeUndefined();
  });

  it('reads back every frame that can be written', () => {
    fc.assert(
      fc.property(frame, (frame) => {
        expect(parseFrame(encodeFrame(frame))).toEqual(frame);
      }),
    );
  });

  it('gives a view into the bytes, wherever they begin', () => {
    const bytes = fromHex('ffff0200000001aabb').subarray(2);
    expect(parseFrame(bytes)?.payload.buffer).toBe(bytes.buffer);
    expect(toHex(parseFrame(bytes)?.payload ?? new Uint8Array())).toBe('aabb');
  });

  it('takes a payload at the limit and refuses one byte more', () => {
    expect(parseFrame(new Uint8Array(5 + MAX_PAYLOAD_BYTES))?.payload).toHaveLength(MAX_PAYLOAD_BYTES);
    expect(parseFrame(new Uint8Array(6 + MAX_PAYLOAD_BYTES))).toBeUndefined();
  });
});

describe('encodeFrame', () => {
  const empty = { type: 2, hasMore: false, streamId: 1, payload: new Uint8Array() };

  it('takes a payload at the limit', () => {
    const { type, streamId, payloadByte, payloadLength, header } = fullFrame;
    const payload = new Uint8Array(payloadLength).fill(payloadByte);
    const bytes = encodeFrame({ type, hasMore: false, streamId, payload });
    expect(payloadLength).toBe(MAX_PAYLOAD_BYTES);
    expect(toHex(bytes.subarray(0, 5))).toBe(header);
    expect(bytes.subarray(5)).toEqual(payload);
  });

  it.each<[string, Partial<TunnelFrame>]>([
    ['a payload one byte over the limit', { payload: new Uint8Array(MAX_PAYLOAD_BYTES + 1) }],
    ['a type that needs the fragment bit', { type: 128 }],
    ['a negative type', { type: -1 }],
    ['a type that is no integer', { type: 1.5 }],
    ['a stream id of 33 bits', { streamId: 2 ** 32 }],
    ['a negative stream id', { streamId: -1 }],
    ['a stream id that is no number', { streamId: Number.NaN }],
  ])('throws for %s', (_name, fields) => {
    expect(() => encodeFrame({ ...empty, ...fields })).toThrow(RangeError);
  });
});
