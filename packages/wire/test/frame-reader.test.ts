import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BLOCK_RESERVE_BYTES,
  BlockPool,
  FrameReader,
  loadNativeUnmask,
  unmaskByWords,
} from '../src/index.ts';
import type { CloseStatus, FrameFault, FrameReaderSettings, FrameSink, Unmask } from '../src/index.ts';
import { clientFrame, closeBody, patternBytes } from './support/client-frames.ts';
import type { ClientFrame } from './support/client-frames.ts';
import { clientStreams, cutAt, cuttings } from './support/frame-streams.ts';
import { decodeStream } from './support/naive-decoder.ts';
import type { DecodedStream, Message } from './support/naive-decoder.ts';

const LIMIT = 131_072;
/** The most that comes in one chunk; larger ones are divided. */
const READ_BYTES = 20_000;
/** Less than this of an unfinished frame may be kept back. */
const MOST_KEPT_BYTES = 4096;

/** Copies what it is given, and keeps the block now and then, as a socket does whose kernel is full. */
class Sink implements FrameSink {
  readonly output: Buffer[] = [];
  readonly pings: Buffer[] = [];
  readonly log: string[] = [];
  readonly settings: FrameReaderSettings;
  closed: CloseStatus | undefined;
  fault: FrameFault | undefined;

  constructor(unmask: Unmask) {
    this.settings = {
      maxMessageBytes: LIMIT,
      unmask,
      blocks: new BlockPool(READ_BYTES + BLOCK_RESERVE_BYTES),
    };
  }

  get outputBytes(): Buffer {
    return Buffer.concat(this.output);
  }

  /** Makes a reader and feeds it. Each chunk lies in the one buffer of all reads, used again at once. */
  read(chunks: readonly Buffer[], reader: FrameReader = new FrameReader(this.settings, this)): FrameReader {
    for (const chunk of chunks) {
      const shared = Buffer.from(chunk);
      reader.read(shared);
      if (!shared.equals(chunk)) throw new Error('the reader has changed what it read');
      shared.fill(0xee);
      this.settings.blocks.current.fill(0xee);
    }
    return reader;
  }

  onFrames(frames: Buffer): void {
    this.#note('frames');
    if (frames.length === 0) throw new Error('frames without a byte');
    this.output.push(this.output.length % 3 === 0 ? this.#keep(frames) : Buffer.from(frames));
  }

  #keep(frames: Buffer): Buffer {
    const { blocks } = this.settings;
    blocks.keep(frames);
    if (frames.buffer === blocks.current.buffer) throw new Error('the frames are not in the current block');
    return frames;
  }

  onPing(payload: Buffer): void {
    this.#note('ping');
    this.pings.push(payload);
  }

  onClose(status: CloseStatus): void {
    this.#note('close');
    this.closed = status;
  }

  onFault(fault: FrameFault): void {
    this.#note('fault');
    this.fault = fault;
  }

  #note(what: string): void {
    if (this.closed !== undefined || this.fault !== undefined) throw new Error(`${what} after the end`);
    this.log.push(what);
  }
}

interface Run {
  readonly sink: Sink;
  readonly decoded: DecodedStream;
}

function decodeOutput(sink: Sink): DecodedStream {
  return decodeStream(sink.outputBytes, { masked: false, shortestLengths: true });
}

function run(chunks: readonly Buffer[], unmask: Unmask = unmaskByWords): Run {
  const sink = new Sink(unmask);
  sink.read(chunks);
  return { sink, decoded: decodeOutput(sink) };
}

const decodedInputs = new WeakMap<Buffer, DecodedStream>();

function decodeInput(stream: Buffer): DecodedStream {
  const known = decodedInputs.get(stream);
  if (known !== undefined) return known;
  const decoded = decodeStream(stream, { masked: true, maxMessageBytes: LIMIT });
  decodedInputs.set(stream, decoded);
  return decoded;
}

function comparable(messages: readonly Message[]): string[] {
  return messages.map(
    ({ isBinary, payload }) => `${isBinary ? 'binary' : 'text'} ${payload.toString('hex')}`,
  );
}

/** Whether what came out is what went in, as a decoder that has seen it all in one piece understands it. */
function expectAgreement({ sink, decoded }: Run, stream: Buffer): void {
  const input = decodeInput(stream);
  expect(decoded.ending).toEqual({ kind: 'open' });
  expect(decoded.restBytes).toBe(0);
  expect(comparable(decoded.messages)).toEqual(comparable(input.messages));
  const [gone, come] = [decoded.partial?.payload.length ?? 0, input.partial?.payload.length ?? 0];
  expect(decoded.partial?.payload.equals(input.partial?.payload.subarray(0, gone) as Buffer) ?? true).toBe(
    true,
  );
  if (input.ending.kind === 'open') expect(come - gone).toBeLessThan(MOST_KEPT_BYTES);
  const { ending } = input;
  expect(sink.fault?.code).toBe(ending.kind === 'fault' ? ending.code : undefined);
  expect(sink.closed).toEqual(
    ending.kind === 'closed' ? { code: ending.code, reason: ending.reason } : undefined,
  );
  expectPings(sink, input);
}

/** One pong may answer several pings, but never the last, and never out of order. */
function expectPings(sink: Sink, input: DecodedStream): void {
  const sent = input.controls
    .filter(({ opcode }) => opcode === 9)
    .map(({ payload }) => payload.toString('hex'));
  const seen = sink.pings.map((payload) => payload.toString('hex'));
  expect(seen.at(-1)).toBe(sent.at(-1));
  let at = 0;
  for (const payload of seen) {
    at = sent.indexOf(payload, at) + 1;
    expect(at).toBeGreaterThan(0);
  }
}

/** Two of every kind of frame, every form of length, control frames between fragments, and a close. */
const SHORT_STREAM = Buffer.concat(
  (
    [
      { opcode: 1, payload: 'hello' },
      { opcode: 2, payload: Buffer.of(0, 255, 128) },
      { opcode: 9, payload: 'one' },
      { opcode: 1, fin: false, payload: 'frag' },
      { opcode: 9, payload: '' },
      { opcode: 10, payload: 'unasked' },
      { opcode: 0, fin: false, payload: '' },
      { opcode: 0, payload: 'ments', lengthBits: 16 },
      { opcode: 1, payload: '' },
      { opcode: 2, payload: 'long form', lengthBits: 64 },
      { opcode: 9, payload: 'two' },
      { opcode: 8, payload: closeBody(1001, 'leaving') },
      { opcode: 1, payload: 'too late' },
    ] satisfies ClientFrame[]
  ).map(clientFrame),
);

/** Frames whose sizes need each form of length in the output. */
const LONG_STREAM = Buffer.concat([
  clientFrame({ opcode: 2, payload: patternBytes(65_535, 1) }),
  clientFrame({ opcode: 1, fin: false, payload: patternBytes(125, 2) }),
  clientFrame({ opcode: 9, payload: 'between' }),
  clientFrame({ opcode: 0, payload: patternBytes(126, 3) }),
  clientFrame({ opcode: 2, payload: patternBytes(65_536, 4) }),
  clientFrame({ opcode: 1, payload: 'end' }),
]);

describe('FrameReader', () => {
  it('gives the same messages wherever one cut falls', () => {
    for (let cut = 0; cut <= SHORT_STREAM.length; cut++) {
      expectAgreement(run(cutAt(SHORT_STREAM, [cut])), SHORT_STREAM);
    }
  });

  it('gives the same messages wherever two cuts fall', () => {
    const expected = comparable(run([Buffer.from(SHORT_STREAM)]).decoded.messages);
    const wrong: string[] = [];
    for (let one = 0; one < SHORT_STREAM.length; one++) {
      for (let two = one + 1; two < SHORT_STREAM.length; two++) {
        const { sink, decoded } = run(cutAt(SHORT_STREAM, [one, two]));
        const isRight = comparable(decoded.messages).join() === expected.join();
        if (!isRight || decoded.restBytes !== 0 || sink.closed?.code !== 1001)
          wrong.push(`${one} and ${two}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('gives the same messages byte by byte', () => {
    expectAgreement(run([...SHORT_STREAM].map((byte) => Buffer.of(byte))), SHORT_STREAM);
    expectAgreement(run([...LONG_STREAM].map((byte) => Buffer.of(byte))), LONG_STREAM);
  });

  it('gives the same messages wherever a stream of large frames is cut around its headers and pieces', () => {
    const headersAt = [0, 65_543, 65_543 + 131, 65_543 + 131 + 13, 65_543 + 131 + 13 + 134];
    const places = headersAt.flatMap((at) => Array.from({ length: 24 }, (_, index) => at + index - 8));
    const pieces = headersAt.flatMap((at) => Array.from({ length: 20 }, (_, index) => at + 4096 + index - 4));
    for (const place of [...places, ...pieces])
      expectAgreement(run(cutAt(LONG_STREAM, [place])), LONG_STREAM);
  });

  describe.each<[string, Unmask | undefined]>([
    ['word by word', unmaskByWords],
    ['natively', loadNativeUnmask()],
  ])('unmasking %s', (_name, unmask) => {
    it('agrees with a naive decoder about any stream, cut anywhere', () => {
      fc.assert(
        fc.property(clientStreams, cuttings, (stream, cut) => {
          expectAgreement(run(cut(stream), unmask), stream);
        }),
        { numRuns: 200 },
      );
    });

    it('is at a frame boundary after every chunk', () => {
      fc.assert(
        fc.property(clientStreams, cuttings, (stream, cut) => {
          const sink = new Sink(unmask ?? unmaskByWords);
          let reader: FrameReader | undefined;
          for (const chunk of cut(stream).slice(0, 100)) {
            reader = sink.read([chunk], reader);
            expect(decodeOutput(sink).restBytes).toBe(0);
          }
        }),
        { numRuns: 40 },
      );
    });
  });

  it('passes a small message on as one frame, however it arrives', () => {
    const stream = clientFrame({ opcode: 1, payload: patternBytes(MOST_KEPT_BYTES - 1) });
    for (const size of [1, 7, 1000]) {
      const places = Array.from({ length: Math.ceil(stream.length / size) }, (_, index) => index * size);
      expect(run(cutAt(stream, places)).decoded.frameCounts).toEqual([1]);
    }
  });

  it('passes a large message on before its end', () => {
    const stream = clientFrame({ opcode: 2, payload: patternBytes(100_000) });
    const { decoded } = run([stream.subarray(0, 50_000)]);
    expect(decoded.partial?.payload.length).toBe(50_000 - 14);
  });

  it('keeps the fragments of the sender', () => {
    const frames: ClientFrame[] = [
      { opcode: 1, fin: false, payload: 'a' },
      { opcode: 0, fin: false, payload: '' },
      { opcode: 0, payload: 'b' },
    ];
    expect(run([Buffer.concat(frames.map(clientFrame))]).decoded.frameCounts).toEqual([3]);
  });

  it('tells of the last ping of a chunk, after the messages of the chunk and before its close', () => {
    const frames: ClientFrame[] = [
      { opcode: 9, payload: 'first' },
      { opcode: 1, payload: 'message' },
      { opcode: 9, payload: 'last' },
      { opcode: 1, payload: 'another' },
      { opcode: 8 },
    ];
    const { sink } = run([Buffer.concat(frames.map(clientFrame))]);
    expect(sink.log).toEqual(['frames', 'ping', 'close']);
    expect(sink.pings.map(String)).toEqual(['last']);
  });

  it('delivers what came before a fault in the same chunk', () => {
    const good = [clientFrame({ opcode: 1, payload: 'whole' }), clientFrame({ opcode: 9, payload: 'ping' })];
    const { sink, decoded } = run([Buffer.concat([...good, clientFrame({ opcode: 3 })])]);
    expect(decoded.messages.map(({ payload }) => payload.toString())).toEqual(['whole']);
    expect(sink.log).toEqual(['frames', 'ping', 'fault']);
  });

  it('refuses a message over the limit by its header, before its payload', () => {
    const header = clientFrame({ opcode: 2, declaredBytes: BigInt(LIMIT + 1) });
    expect(run([header]).sink.fault?.code).toBe(1009);
  });

  it('reads nothing more once it is stopped, and nothing of what it had kept', () => {
    const sink = new Sink(unmaskByWords);
    const frame = clientFrame({ opcode: 1, payload: 'cut in two' });
    const reader = sink.read([frame.subarray(0, 9)]);
    reader.stop();
    sink.read([frame.subarray(9), clientFrame({ opcode: 3 })], reader);
    expect(sink.log).toEqual([]);
  });

  it('writes no more than a block holds for a chunk, however small its frames', () => {
    const empty = clientFrame({ opcode: 2 });
    const large = clientFrame({ opcode: 2, payload: patternBytes(READ_BYTES * 3) });
    const tiny = Buffer.concat(Array.from({ length: 20_000 }, () => empty));
    for (const stream of [large, tiny]) {
      // A header and a little payload first, which are kept and come on top of the next chunk.
      const chunks = [stream.subarray(0, 1), stream.subarray(1, 4000), stream.subarray(4000)];
      expectAgreement(run(chunks), stream);
    }
  });
});
