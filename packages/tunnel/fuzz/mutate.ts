import type { SeededRandom } from './seeded-random.ts';

type Mutation = (bytes: Uint8Array, random: SeededRandom, other: Uint8Array) => Uint8Array;

/** Bytes that parsers stumble over: ends of ranges, fragment bits, JSON punctuation, halves of characters. */
const LIKELY_BYTES = [
  0x00, 0x01, 0x04, 0x05, 0x0a, 0x20, 0x22, 0x23, 0x25, 0x26, 0x2c, 0x3a, 0x3d, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
  0x7f, 0x80, 0x88, 0xc0, 0xed, 0xf0, 0xff,
];

/** Numbers that lengths stumble over. */
const LIKELY_LENGTHS = [0, 1, 4, 5, 6, 65_526, 65_531, 65_532, 65_536, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

const MUTATIONS: readonly Mutation[] = [
  flipBit,
  (bytes, random) => set(bytes, random, random.next()),
  (bytes, random) => set(bytes, random, random.pick(LIKELY_BYTES)),
  (bytes, random) => bytes.slice(0, random.below(bytes.length + 1)),
  (bytes, random) => bytes.slice(random.below(bytes.length + 1)),
  (bytes, random) => insert(bytes, random.below(bytes.length + 1), [random.pick(LIKELY_BYTES)]),
  (bytes, random, other) =>
    join(bytes.slice(0, random.below(bytes.length + 1)), other.slice(random.below(other.length + 1))),
  (bytes, random) => insert(bytes, random.below(bytes.length + 1), piece(bytes, random)),
  remove,
  setLength,
];

/** Changes a valid text or frame in a few places, or joins it with a part of another. */
export function mutate(seeds: readonly Uint8Array[], random: SeededRandom): Uint8Array {
  let bytes = random.pick(seeds);
  for (let count = 1 + random.below(4); count > 0; count--) {
    bytes = random.pick(MUTATIONS)(bytes, random, random.pick(seeds));
  }
  return bytes;
}

function flipBit(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const at = random.below(bytes.length);
  const changed = bytes.slice();
  changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
  return changed;
}

function set(bytes: Uint8Array, random: SeededRandom, value: number): Uint8Array {
  const changed = bytes.slice();
  changed[random.below(bytes.length)] = value;
  return changed;
}

function piece(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const start = random.below(bytes.length);
  return bytes.slice(start, start + 1 + random.below(40));
}

function remove(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const start = random.below(bytes.length);
  return join(bytes.slice(0, start), bytes.slice(start + 1 + random.below(10)));
}

function setLength(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  if (bytes.length < 4) return bytes;
  const changed = bytes.slice();
  new DataView(changed.buffer).setUint32(random.below(bytes.length - 3), random.pick(LIKELY_LENGTHS));
  return changed;
}

function insert(bytes: Uint8Array, at: number, inserted: ArrayLike<number>): Uint8Array {
  return join(bytes.slice(0, at), Uint8Array.from(inserted), bytes.slice(at));
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
