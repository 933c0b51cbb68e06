import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadNativeUnmask, unmaskByWords } from '../src/index.ts';
import type { Unmask } from '../src/index.ts';
import { rotateKey } from '../src/unmask.ts';
import { patternBytes } from './support/client-frames.ts';

const KEYS = [0, 1, 0x07fe3c91, 0x80000000 | 0, 0xffffffff | 0, 0xa5c3_1e78 | 0];
const MARGIN = 24;

const ways: [string, Unmask | undefined][] = [
  ['word by word', unmaskByWords],
  ['natively', loadNativeUnmask()],
];

/** Where the bytes lie in memory: before the source's run and before the target's run, in bytes. */
interface Shape {
  readonly from: number;
  readonly to: number;
  readonly length: number;
  readonly key: number;
}

function keyByte(key: number, at: number): number {
  return (key >>> (8 * (at % 4))) & 0xff;
}

/** What is wrong with an unmask over all these shapes, with the shape it was wrong for. */
function faults(unmask: Unmask, shapes: Iterable<Omit<Shape, 'key'>>): unknown[] {
  const wrong: unknown[] = [];
  let at = 0;
  for (const shape of shapes) {
    const key = KEYS[at++ % KEYS.length] ?? 0;
    const found = fault(unmask, { ...shape, key });
    if (found !== undefined) wrong.push({ ...shape, key, found });
  }
  return wrong.slice(0, 3);
}

function* product(
  froms: readonly number[],
  tos: readonly number[],
  lengths: readonly number[],
): Iterable<Omit<Shape, 'key'>> {
  for (const from of froms) {
    for (const to of tos) {
      for (const length of lengths) yield { from, to, length };
    }
  }
}

function upTo(last: number): number[] {
  return Array.from({ length: last + 1 }, (_, index) => index);
}

/** A view into larger memory, so that the view's own place and the place within it both matter. */
function viewOf(bytes: number, skipped: number): Buffer {
  return Buffer.from(new ArrayBuffer(skipped + bytes), skipped);
}

/** Unmasks from one buffer into another and says what is wrong with them afterwards. */
function fault(unmask: Unmask, { from, to, length, key }: Shape): string | undefined {
  const skipped = { source: from >> 1, target: to >> 2 };
  const source = viewOf(from + length + MARGIN, skipped.source);
  const target = viewOf(to + length + MARGIN, skipped.target);
  source.set(patternBytes(source.length, length));
  target.fill(0xee);
  const before = Buffer.from(source);
  unmask(source, target, { from, to, length, key });
  for (let i = 0; i < length; i++) {
    const expected = Number(before[from + i]) ^ keyByte(key, i);
    if (target[to + i] !== expected) return `byte ${i} of ${length} is ${target[to + i]}, not ${expected}`;
  }
  if (!source.equals(before)) return 'the source has changed';
  const around = Buffer.concat([target.subarray(0, to), target.subarray(to + length)]);
  return around.every((byte) => byte === 0xee) ? undefined : 'something else in the target has changed';
}

describe.each(ways)('unmasking %s', (_name, unmask) => {
  if (unmask === undefined) throw new Error('bufferutil is a development dependency and has to load');

  it('is right from and to any alignment, for every length up to 300', () => {
    expect(faults(unmask, product(upTo(15), upTo(15), upTo(300)))).toEqual([]);
  });

  it('is right for large runs', () => {
    const lengths = [510, 511, 512, 513, 514, 515, 4095, 4096, 4097, 65_535, 65_536, 131_075];
    expect(faults(unmask, product(upTo(8), [0, 1, 2, 3, 14, 15], lengths))).toEqual([]);
  });

  it('is right for any key, in pieces cut anywhere with the key rotated', () => {
    fc.assert(
      fc.property(fc.integer(), fc.uint8Array({ maxLength: 700 }), fc.nat(), (key, payload, where) => {
        const cut = where % (payload.length + 1);
        const source = Buffer.from(payload);
        const target = Buffer.alloc(payload.length);
        unmask(source, target, { from: 0, to: 0, length: cut, key });
        const rest = { from: cut, to: cut, length: payload.length - cut, key: rotateKey(key, cut) };
        unmask(source, target, rest);
        expect([...target]).toEqual([...payload].map((byte, i) => byte ^ keyByte(key, i)));
      }),
    );
  });
});
