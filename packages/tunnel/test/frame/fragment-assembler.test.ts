import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Assembled,
  FRAME_TYPE,
  FragmentAssembler,
  MAX_MESSAGE_BYTES,
  MAX_PAYLOAD_BYTES,
  parseFrame,
  type TunnelFrame,
} from '../../src/index.ts';
import { fromHex } from './bytes.ts';
import { messages } from './vectors.ts';

function fragment(payload: Uint8Array, hasMore: boolean, type: number = FRAME_TYPE.wsBinary): TunnelFrame {
  return { type, hasMore, streamId: 1, payload };
}

function addAll(assembler: FragmentAssembler, frames: readonly TunnelFrame[]): Assembled[] {
  return frames.map((frame) => assembler.add(frame));
}

describe('FragmentAssembler', () => {
  it.each(messages)('puts together: $name', ({ frames, text, binary }) => {
    const assembler = new FragmentAssembler();
    const results = frames.map((bytes) => {
      const frame = parseFrame(fromHex(bytes));
      if (frame === undefined) throw new Error('a vector holds a broken frame');
      return assembler.add(frame);
    });
    expect(results.slice(0, -1).every(({ state }) => state === 'incomplete')).toBe(true);
    const message = text ?? fromHex(binary ?? '');
    expect(results.at(-1)).toEqual({ state: 'message', message });
    expect(assembler.bufferedBytes).toBe(0);
  });

  it('gives back any message, however it is cut, one after the other', () => {
    const parts = fc.array(fc.uint8Array({ maxLength: 2000 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 4 }), (cuts) => {
        const assembler = new FragmentAssembler();
        for (const cut of cuts) {
          const frames = cut.map((payload, index) => fragment(payload, index < cut.length - 1));
          const message = Uint8Array.from(cut.flatMap((part) => [...part]));
          expect(addAll(assembler, frames).at(-1)).toEqual({ state: 'message', message });
        }
      }),
      { numRuns: 30 },
    );
  });

  it('hands a message of one frame on without copying it', () => {
    const payload = Uint8Array.of(1, 2, 3);
    expect(new FragmentAssembler().add(fragment(payload, false))).toEqual({
      state: 'message',
      message: payload,
    });
    const result = new FragmentAssembler().add(fragment(payload, false));
    expect(result.state === 'message' && result.message).toBe(payload);
  });

  it('counts what waits', () => {
    const assembler = new FragmentAssembler();
    addAll(assembler, [fragment(new Uint8Array(3), true), fragment(new Uint8Array(4), true)]);
    expect(assembler.bufferedBytes).toBe(7);
  });

  it('refuses text and binary in one message, and begins anew after it', () => {
    const assembler = new FragmentAssembler();
    const [, fault] = addAll(assembler, [
      fragment(Uint8Array.of(65), true, FRAME_TYPE.wsText),
      fragment(Uint8Array.of(66), false, FRAME_TYPE.wsBinary),
    ]);
    expect(fault?.state).toBe('fault');
    expect(assembler.bufferedBytes).toBe(0);
    const next = assembler.add(fragment(Uint8Array.of(67), false, FRAME_TYPE.wsText));
    expect(next).toEqual({ state: 'message', message: 'C' });
  });

  it('takes a message at the limit and refuses one byte more', () => {
    const full = new Uint8Array(MAX_PAYLOAD_BYTES);
    const count = Math.floor(MAX_MESSAGE_BYTES / MAX_PAYLOAD_BYTES);
    const rest = MAX_MESSAGE_BYTES - count * MAX_PAYLOAD_BYTES;
    const start = Array.from({ length: count }, () => fragment(full, true));

    const atLimit = new FragmentAssembler();
    addAll(atLimit, start);
    const whole = atLimit.add(fragment(new Uint8Array(rest), false));
    expect(whole.state === 'message' && whole.message.length).toBe(MAX_MESSAGE_BYTES);

    const over = new FragmentAssembler();
    addAll(over, start);
    expect(over.add(fragment(new Uint8Array(rest + 1), false)).state).toBe('fault');
    expect(over.bufferedBytes).toBe(0);
  });

  it('keeps to a lower limit where one is set, and to no higher one', () => {
    expect(new FragmentAssembler(2).add(fragment(new Uint8Array(2), false)).state).toBe('message');
    expect(new FragmentAssembler(2).add(fragment(new Uint8Array(3), false)).state).toBe('fault');
    const assembler = new FragmentAssembler(Number.MAX_SAFE_INTEGER);
    const [, , fault] = addAll(assembler, [
      fragment(new Uint8Array(MAX_MESSAGE_BYTES - 1), true),
      fragment(new Uint8Array(1), true),
      fragment(new Uint8Array(1), true),
    ]);
    expect(fault?.state).toBe('fault');
  });

  it('takes a hundred thousand fragments of a byte in no time', () => {
    const assembler = new FragmentAssembler();
    const one = fragment(Uint8Array.of(1), true);
    for (let index = 0; index < 100_000; index++) assembler.add(one);
    expect(assembler.bufferedBytes).toBe(100_000);
  });

  it('decodes text that is not UTF-8 as a browser would', () => {
    const result = new FragmentAssembler().add(fragment(Uint8Array.of(0x61, 0xff), false, FRAME_TYPE.wsText));
    expect(result).toEqual({ state: 'message', message: 'a\ufffd' });
  });
});
