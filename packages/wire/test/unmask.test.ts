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

interface Shape {
  readonly alignment: number;
  readonly distance: number;
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
  alignments: readonly number[],
  distances: readonly number[],
  lengths: readonly number[],
): Iterable<Omit<Shape, 'key'>> {
  for (const alignment of alignments) {
    for (const distance of distances) {
      for (const length of lengths) yield { alignment, distance, length };
    }
  }
}

function upTo(last: number): number[] {
  return Array.from({ length: last + 1 }, (_, index) => index);
}

/** Unmasks inside a larger buffer and says what is wrong with it afterwards. */
function fault(unmask: Unmask, { alignment, distance, length, key }: Shape): string | undefined {
  const memory = new Uint8Array(new ArrayBuffer(alignment + MARGIN + distance + length + MARGIN));
  memory.set(patternBytes(memory.length, length));
  const before = Buffer.from(memory);
  const chunk = Buffer.from(memory.buffer, alignment);
  const [to, from] = [MARGIN, MARGIN + distance];
  unmask(chunk, { from, to, length, key });
  for (let i = 0; i < length; i++) {
    const expected = Number(before[alignment + from + i]) ^ keyByte(key, i);
    if (chunk[to + i] !== expected) return `byte ${i} of ${length} is ${chunk[to + i]}, not ${expected}`;
  }
  const after = Buffer.from(memory.buffer);
  const end = alignment + from + length;
  if (!after.subarray(0, alignment + to).equals(before.subarray(0, alignment + to))) return 'changed before';
  if (!after.subarray(end).equals(before.subarray(end))) return 'changed behind';
  return undefined;
}

describe.each(ways)('unmasking %s', (_name, unmask) => {
  if (unmask === undefined) throw new Error('bufferutil is a development dependency and has to load');

  it('is right at every alignment and distance, for every length up to 300', () => {
    expect(faults(unmask, product(upTo(7), upTo(20), upTo(300)))).toEqual([]);
  });

  it('is right for large runs', () => {
    const lengths = [510, 511, 512, 513, 514, 515, 4095, 4096, 4097, 65_535, 65_536, 131_075];
    expect(faults(unmask, product([0, 1, 2, 3, 5], upTo(20), lengths))).toEqual([]);
  });

  it('is right for any key, in pieces cut anywhere with the key rotated', () => {
    fc.assert(
      fc.property(fc.integer(), fc.uint8Array({ maxLength: 700 }), fc.nat(), (key, payload, where) => {
        const cut = where % (payload.length + 1);
        const chunk = Buffer.from(payload);
        unmask(chunk, { from: 0, to: 0, length: cut, key });
        unmask(chunk, { from: cut, to: cut, length: chunk.length - cut, key: rotateKey(key, cut) });
        expect([...chunk]).toEqual([...payload].map((byte, i) => byte ^ keyByte(key, i)));
      }),
    );
  });
});
