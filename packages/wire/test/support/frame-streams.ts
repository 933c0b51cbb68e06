import fc from 'fast-check';
import { clientFrame, closeBody } from './client-frames.ts';
import type { ClientFrame } from './client-frames.ts';

/** Sizes at which headers, pieces and the limit of the readers under test change. */
const EDGES = [0, 1, 125, 126, 127, 4085, 4095, 4096, 4097, 8192, 65_535, 65_536, 70_000];

const keys = fc.uint8Array({ minLength: 4, maxLength: 4 });
const sizes = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 40 }) },
  { weight: 2, arbitrary: fc.constantFrom(...EDGES.slice(0, 10)) },
  { weight: 1, arbitrary: fc.constantFrom(...EDGES.slice(10)) },
);

interface Part {
  readonly size: number;
  readonly fill: number;
  readonly key: Uint8Array;
  readonly longForm: boolean;
  readonly controls: readonly ClientFrame[];
}

const controlFrames: fc.Arbitrary<ClientFrame> = fc.record({
  opcode: fc.constantFrom(9, 10),
  payload: fc.uint8Array({ maxLength: 125 }),
  key: keys,
});

const parts: fc.Arbitrary<Part> = fc.record({
  size: sizes,
  fill: fc.nat(255),
  key: keys,
  longForm: fc.boolean(),
  controls: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(controlFrames, { maxLength: 3 }) },
  ),
});

/** One message as frames: in 1 to 4 fragments with control frames before each. */
const messages: fc.Arbitrary<ClientFrame[]> = fc
  .tuple(fc.constantFrom(1, 2), fc.array(parts, { minLength: 1, maxLength: 4 }))
  .map(([opcode, list]) =>
    list.flatMap((part, index): ClientFrame[] => [
      ...part.controls,
      {
        opcode: index === 0 ? opcode : 0,
        fin: index === list.length - 1,
        payload: Buffer.alloc(part.size).map((_byte, at) => (part.fill + at * 31 + (at >> 7)) & 0xff),
        key: part.key,
        lengthBits: part.longForm ? 64 : undefined,
      },
    ]),
  );

/** What ends a stream: nothing, a close frame, or a fault of any kind. Bytes that follow must not matter. */
const endings: fc.Arbitrary<ClientFrame[]> = fc.constantFrom<ClientFrame[]>(
  [],
  [],
  [{ opcode: 8 }, { opcode: 1, payload: 'too late' }],
  [{ opcode: 8, payload: closeBody(1000, 'bye') }, { opcode: 9 }],
  [{ opcode: 8, payload: closeBody(4999, 'ö'.repeat(61)) }],
  [{ opcode: 8, payload: closeBody(1005) }, { opcode: 1 }],
  [{ opcode: 8, payload: Buffer.of(3) }],
  [{ opcode: 8, payload: closeBody(1000, Uint8Array.of(0xff)) }],
  [{ opcode: 1, masked: false, payload: 'plain' }, { opcode: 1 }],
  [{ opcode: 2, rsv: 4, payload: 'squeezed' }],
  [{ opcode: 3 }],
  [{ opcode: 11 }],
  [{ opcode: 9, fin: false }],
  [{ opcode: 10, payload: Buffer.alloc(126) }],
  [{ opcode: 0, payload: 'of nothing' }],
  [{ opcode: 1, fin: false }, { opcode: 1 }],
  [{ opcode: 2, declaredBytes: 131_073n }, { opcode: 1 }],
  [
    { opcode: 2, fin: false, payload: 'x' },
    { opcode: 0, declaredBytes: 131_072n },
  ],
  [{ opcode: 2, declaredBytes: 2n ** 63n }],
);

/** A masked stream of any kind, perhaps cut off. */
export const clientStreams: fc.Arbitrary<Buffer> = fc
  .record({
    list: fc.array(messages, { maxLength: 8 }),
    ending: endings,
    dropped: fc.oneof(fc.constant(0), fc.nat(5000)),
  })
  .map(({ list, ending, dropped }) => {
    const stream = Buffer.concat([...list.flat(), ...ending].map(clientFrame));
    return stream.subarray(0, Math.max(0, stream.length - dropped));
  });

/** Where to cut a stream: as parts of its length, or in equal pieces. */
export const cuttings: fc.Arbitrary<(stream: Buffer) => Buffer[]> = fc.oneof(
  fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }).map(
    (places) => (stream: Buffer) =>
      cutAt(
        stream,
        places.map((place) => place * stream.length),
      ),
  ),
  fc.constantFrom(1, 2, 3, 5, 7, 13, 100, 1460, 4096, 65_536).map((size) => (stream: Buffer) => {
    // At most some thousand chunks, and small ones at the front, where the headers are.
    const step = Math.max(size, Math.ceil(stream.length / 4000));
    const places = Array.from({ length: Math.ceil(stream.length / step) }, (_, index) => index * step);
    return cutAt(stream, places);
  }),
);

/** Copies of the pieces between these places; empty ones are left out. */
export function cutAt(stream: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map(Math.floor).sort((a, b) => a - b), stream.length];
  return sorted
    .slice(1)
    .map((end, index) => Buffer.from(stream.subarray(sorted[index], end)))
    .filter((chunk) => chunk.length > 0);
}
