import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameHeaderParser } from '../src/frame-header-parser.ts';
import { clientFrame } from './support/client-frames.ts';
import type { ClientFrame } from './support/client-frames.ts';

const LIMIT = 131_072;

interface ReadHeader {
  readonly first: number;
  readonly payloadBytes: number;
  readonly key: number;
  /** Header bytes that were used up. */
  readonly usedBytes: number;
}

type Outcome = ReadHeader | { readonly fault: number | undefined } | 'needs more';

/** Feeds chunks to a parser until it has a header, has refused it, or has seen them all. */
function readChunks(parser: FrameHeaderParser, chunks: readonly Buffer[]): Outcome {
  let usedBytes = 0;
  for (const chunk of chunks) {
    const at = parser.read(chunk, 0);
    if (parser.fault !== undefined) return { fault: parser.fault.code };
    if (at >= 0) {
      const { first, payloadBytes, key } = parser;
      return { first, payloadBytes, key: key | 0, usedBytes: usedBytes + at };
    }
    usedBytes += chunk.length;
  }
  return 'needs more';
}

function parserAfter(frames: readonly ClientFrame[], maxMessageBytes = LIMIT): FrameHeaderParser {
  const parser = new FrameHeaderParser(maxMessageBytes);
  for (const frame of frames) {
    expect(readChunks(parser, [clientFrame(frame)])).toMatchObject({ usedBytes: expect.any(Number) });
  }
  return parser;
}

function outcomeOf(frame: ClientFrame, before: readonly ClientFrame[] = []): Outcome {
  return readChunks(parserAfter(before), [clientFrame(frame)]);
}

const START: ClientFrame = { opcode: 1, fin: false, payload: 'start' };

describe('FrameHeaderParser', () => {
  it('reads every form of a header, cut at any two places', () => {
    const keys = fc.uint8Array({ minLength: 4, maxLength: 4 });
    const forms = fc.constantFrom<[7 | 16 | 64, number]>(
      [7, 0],
      [7, 125],
      [16, 0],
      [16, 126],
      [16, 65_535],
      [64, 0],
      [64, 65_536],
      [64, LIMIT],
    );
    fc.assert(
      fc.property(
        forms,
        keys,
        fc.constantFrom(1, 2),
        fc.boolean(),
        ([lengthBits, length], key, opcode, fin) => {
          const frame = clientFrame({ opcode, fin, key, lengthBits, declaredBytes: BigInt(length) });
          const expected: ReadHeader = {
            first: opcode | (fin ? 0x80 : 0),
            payloadBytes: length,
            key: Buffer.from(key).readInt32LE(0),
            usedBytes: frame.length,
          };
          const stream = Buffer.concat([frame, Buffer.from('payload')]);
          for (let one = 0; one <= frame.length; one++) {
            for (let two = one; two <= frame.length; two++) {
              const chunks = [stream.subarray(0, one), stream.subarray(one, two), stream.subarray(two)];
              const parser = new FrameHeaderParser(LIMIT);
              const filled = chunks.filter((chunk) => chunk.length > 0);
              expect(readChunks(parser, filled)).toEqual(expected);
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('reads header behind header, each from where the one before ended', () => {
    const frames = [clientFrame(START), clientFrame({ opcode: 9 }), clientFrame({ opcode: 0 })];
    const parser = new FrameHeaderParser(LIMIT);
    const stream = Buffer.concat(frames);
    let at = 0;
    const seen: number[] = [];
    for (let i = 0; i < frames.length; i++) {
      at = parser.read(stream, at) + parser.payloadBytes;
      seen.push(parser.first);
    }
    expect(seen).toEqual([0x01, 0x89, 0x80]);
    expect(at).toBe(stream.length);
  });

  it('changes no byte of what it reads', () => {
    const frame = clientFrame({ opcode: 2, lengthBits: 64, payload: 'as it was' });
    for (let cut = 1; cut < 14; cut++) {
      const [head, tail] = [Buffer.from(frame.subarray(0, cut)), Buffer.from(frame.subarray(cut))];
      readChunks(new FrameHeaderParser(LIMIT), [head, tail]);
      expect(Buffer.concat([head, tail]).equals(frame)).toBe(true);
    }
  });

  it.each<[string, ClientFrame, ClientFrame[]]>([
    ['an unmasked frame', { opcode: 1, masked: false }, []],
    ['an unmasked control frame', { opcode: 9, masked: false }, []],
    ...[1, 2, 3, 4, 5, 6, 7].flatMap((rsv): [string, ClientFrame, ClientFrame[]][] => [
      [`reserved bits ${rsv} on a text frame`, { opcode: 1, rsv }, []],
      [`reserved bits ${rsv} on a ping`, { opcode: 9, rsv }, []],
      [`reserved bits ${rsv} on a continuation`, { opcode: 0, rsv }, [START]],
    ]),
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].flatMap((opcode): [string, ClientFrame, ClientFrame[]][] => [
      [`opcode ${opcode}`, { opcode }, []],
      [`opcode ${opcode} inside a message`, { opcode }, [START]],
    ]),
    ...[8, 9, 10].flatMap((opcode): [string, ClientFrame, ClientFrame[]][] => [
      [`a fragmented control frame ${opcode}`, { opcode, fin: false }, []],
      [`a control frame ${opcode} of 126 bytes`, { opcode, payload: Buffer.alloc(126) }, []],
      [`a control frame ${opcode} with a 16-bit length`, { opcode, lengthBits: 16 }, []],
      [`a control frame ${opcode} with a 64-bit length`, { opcode, lengthBits: 64 }, []],
    ]),
    ['a continuation of nothing', { opcode: 0 }, []],
    ['a continuation after the last one', { opcode: 0 }, [START, { opcode: 0 }]],
    ['text inside a message', { opcode: 1 }, [START]],
    ['binary inside a message', { opcode: 2, fin: false }, [START]],
    ['a 64-bit length with its top bit', { opcode: 2, declaredBytes: 2n ** 63n }, []],
    ['a 64-bit length of ones', { opcode: 2, declaredBytes: 2n ** 64n - 1n }, []],
  ])('refuses %s with 1002, wherever it is cut', (_name, frame, before) => {
    const bytes = clientFrame(frame);
    for (let cut = 0; cut < bytes.length; cut++) {
      const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)].filter((chunk) => chunk.length > 0);
      expect(readChunks(parserAfter(before), chunks)).toEqual({ fault: 1002 });
    }
  });

  it.each<[string, ClientFrame]>([
    ['an unmasked frame', { opcode: 1, masked: false }],
    ['reserved bits', { opcode: 1, rsv: 4 }],
    ['a reserved opcode', { opcode: 3 }],
    ['a long control frame', { opcode: 9, lengthBits: 64 }],
    ['a continuation of nothing', { opcode: 0 }],
  ])('refuses %s by its first two bytes', (_name, frame) => {
    const bytes = clientFrame(frame);
    expect(readChunks(new FrameHeaderParser(LIMIT), [bytes.subarray(0, 2)])).toEqual({ fault: 1002 });
    const singly = [bytes.subarray(0, 1), bytes.subarray(1, 2)];
    expect(readChunks(new FrameHeaderParser(LIMIT), singly)).toEqual({ fault: 1002 });
  });

  it('takes control frames of 125 bytes, between fragments too', () => {
    for (const opcode of [8, 9, 10]) {
      const frame = { opcode, payload: Buffer.alloc(125) };
      expect(outcomeOf(frame)).toMatchObject({ payloadBytes: 125 });
      expect(outcomeOf(frame, [START])).toMatchObject({ payloadBytes: 125 });
    }
  });

  it('takes a message at the limit and refuses one byte more with 1009', () => {
    const declared = (bytes: number): ClientFrame => ({ opcode: 2, declaredBytes: BigInt(bytes) });
    expect(outcomeOf(declared(LIMIT))).toMatchObject({ payloadBytes: LIMIT });
    expect(outcomeOf(declared(LIMIT + 1))).toEqual({ fault: 1009 });
    expect(outcomeOf({ opcode: 2, declaredBytes: 2n ** 32n })).toEqual({ fault: 1009 });
    expect(outcomeOf({ opcode: 2, declaredBytes: 2n ** 63n - 1n })).toEqual({ fault: 1009 });
  });

  it('counts a message over its fragments, and starts anew with the next', () => {
    const outcome = (last: number): Outcome => {
      const ping: ClientFrame = { opcode: 9, payload: Buffer.alloc(100) };
      const before: ClientFrame[] = [
        { opcode: 1, fin: false, payload: Buffer.alloc(600) },
        ping,
        { opcode: 0, fin: false, payload: Buffer.alloc(300) },
        ping,
      ];
      const parser = parserAfter(before, 1000);
      return readChunks(parser, [clientFrame({ opcode: 0, fin: true, payload: Buffer.alloc(last) })]);
    };
    expect(outcome(100)).toMatchObject({ payloadBytes: 100 });
    expect(outcome(101)).toEqual({ fault: 1009 });
    const parser = parserAfter([{ opcode: 1, payload: Buffer.alloc(1000) }], 1000);
    expect(readChunks(parser, [clientFrame({ opcode: 1, payload: Buffer.alloc(1000) })])).toMatchObject({
      payloadBytes: 1000,
    });
  });
});
