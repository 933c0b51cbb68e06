import { closeBody, patternBytes } from '../support/client-frames.ts';
import type { ClientFrame } from '../support/client-frames.ts';
import { LIMIT_BYTES } from './rig.ts';
import type { ConformanceCase } from './rig.ts';

const FAULT = { code: 1002, isFault: true };
const TOO_BIG = { code: 1009, isFault: true };
const NO_TEXT = { code: 1007, isFault: true };

function text(payload: string | Buffer, fin = true): ClientFrame {
  return { opcode: 1, payload, fin };
}

function binary(payload: Buffer, fin = true): ClientFrame {
  return { opcode: 2, payload, fin };
}

function more(payload: string | Buffer, fin = false): ClientFrame {
  return { opcode: 0, payload, fin };
}

function ping(payload: string | Buffer = ''): ClientFrame {
  return { opcode: 9, payload };
}

function pong(payload: string | Buffer = ''): ClientFrame {
  return { opcode: 10, payload };
}

function close(payload: string | Buffer = ''): ClientFrame {
  return { opcode: 8, payload };
}

/** A payload in fragments of at most `size` bytes. */
function fragments(opcode: 1 | 2, payload: Buffer, size: number): ClientFrame[] {
  const count = Math.max(1, Math.ceil(payload.length / size));
  return Array.from({ length: count }, (_, index) => ({
    opcode: index === 0 ? opcode : 0,
    payload: payload.subarray(index * size, (index + 1) * size),
    fin: index === count - 1,
  }));
}

function stars(bytes: number): string {
  return '*'.repeat(bytes);
}

const SIZES = [0, 125, 126, 127, 128, 65_535, 65_536];

export const FRAMING: readonly ConformanceCase[] = [
  ...SIZES.map((size, index) => ({
    id: `1.1.${index + 1} text of ${size} bytes`,
    frames: [text(stars(size))],
    forwarded: [stars(size)],
  })),
  ...SIZES.map((size, index) => ({
    id: `1.2.${index + 1} binary of ${size} bytes`,
    frames: [binary(patternBytes(size))],
    forwarded: [patternBytes(size)],
  })),
  {
    id: '1.3.1 an empty text and an empty binary message keep their types',
    frames: [text(''), binary(Buffer.alloc(0)), text('')],
    forwarded: ['', Buffer.alloc(0), ''],
  },
  {
    id: '1.3.2 a length of 5 in 16 bits',
    frames: [{ ...text('hello'), lengthBits: 16 }],
    forwarded: ['hello'],
  },
  {
    id: '1.3.3 a length of 5 in 64 bits',
    frames: [{ ...text('hello'), lengthBits: 64 }],
    forwarded: ['hello'],
  },
  {
    id: '1.3.4 a length of 300 in 64 bits',
    frames: [{ ...text(stars(300)), lengthBits: 64 }],
    forwarded: [stars(300)],
  },
  {
    id: '1.3.5 a masking key of zeros',
    frames: [{ ...text('hello'), key: Buffer.alloc(4) }],
    forwarded: ['hello'],
  },
  { id: '1.4.1 an unmasked text frame', frames: [{ ...text('hello'), masked: false }], ending: FAULT },
  { id: '1.4.2 an unmasked ping', frames: [{ ...ping('hello'), masked: false }], ending: FAULT },
  { id: '1.4.3 an unmasked close', frames: [{ ...close(), masked: false }], ending: FAULT },
  {
    id: '1.4.4 an unmasked continuation',
    frames: [text('a', false), { ...more('b', true), masked: false }],
    ending: FAULT,
  },
];

const TEN = Array.from({ length: 10 }, (_, index) => `payload-${index}`);

export const PINGS_AND_PONGS: readonly ConformanceCase[] = [
  { id: '2.1 ping without payload', frames: [ping()], pinged: [''] },
  { id: '2.2 ping with a text payload', frames: [ping('Hello, world!')], pinged: ['Hello, world!'] },
  {
    id: '2.3 ping with a binary payload',
    frames: [ping(Buffer.from('00fffefdfcfb00ff', 'hex'))],
    pinged: [Buffer.from('00fffefdfcfb00ff', 'hex').toString('latin1')],
  },
  { id: '2.4 ping of 125 bytes', frames: [ping(stars(125))], pinged: [stars(125)] },
  { id: '2.5 ping of 126 bytes', frames: [ping(stars(126))], ending: FAULT },
  { id: '2.6 pong of 126 bytes', frames: [pong(stars(126))], ending: FAULT },
  { id: '2.7 unasked pong without payload', frames: [pong()] },
  { id: '2.8 unasked pong with payload', frames: [pong('unasked')] },
  { id: '2.9 unasked pong, then ping', frames: [pong('unasked'), ping('asked')], pinged: ['asked'] },
  { id: '2.10 ten pings', frames: TEN.map((payload) => ping(payload)), pinged: TEN },
  {
    id: '2.11 ten pings between messages',
    frames: TEN.flatMap((payload) => [text(payload), ping(payload)]),
    pinged: TEN,
    forwarded: TEN,
  },
];

export const RESERVED_BITS: readonly ConformanceCase[] = [
  { id: '3.1 text with RSV 1', frames: [{ ...text('hello'), rsv: 1 }], ending: FAULT },
  {
    id: '3.2 text, then text with RSV 2, then ping',
    frames: [text('hello'), { ...text('hello'), rsv: 2 }, ping()],
    forwarded: ['hello'],
    ending: FAULT,
  },
  {
    id: '3.3 text, then text with RSV 3, then ping',
    frames: [text('hello'), { ...text('hello'), rsv: 3 }, ping()],
    forwarded: ['hello'],
    ending: FAULT,
  },
  {
    id: '3.4 text, then text with RSV 4 (a compressed message), then ping',
    frames: [text('hello'), { ...text('hello'), rsv: 4 }, ping()],
    forwarded: ['hello'],
    ending: FAULT,
  },
  { id: '3.5 binary with RSV 5', frames: [{ ...binary(patternBytes(8)), rsv: 5 }], ending: FAULT },
  { id: '3.6 ping with RSV 6', frames: [{ ...ping('hello'), rsv: 6 }], ending: FAULT },
  { id: '3.7 close with RSV 7', frames: [{ ...close(), rsv: 7 }], ending: FAULT },
  {
    id: '3.8 continuation with RSV 4',
    frames: [text('a', false), { ...more('b', true), rsv: 4 }],
    ending: FAULT,
  },
];

export const OPCODES: readonly ConformanceCase[] = [
  ...[3, 4, 5, 6, 7].map((opcode, index) => ({
    id: `4.1.${index + 1} text, then reserved opcode ${opcode}, then ping`,
    frames: [text('hello'), { opcode, payload: opcode % 2 === 0 ? 'payload' : '' }, ping()],
    forwarded: ['hello'],
    ending: FAULT,
  })),
  ...[11, 12, 13, 14, 15].map((opcode, index) => ({
    id: `4.2.${index + 1} text, then reserved control opcode ${opcode}, then ping`,
    frames: [text('hello'), { opcode, payload: opcode % 2 === 0 ? 'payload' : '' }, ping()],
    forwarded: ['hello'],
    ending: FAULT,
  })),
];

export const FRAGMENTATION: readonly ConformanceCase[] = [
  { id: '5.1 ping in two fragments', frames: [{ ...ping('a'), fin: false }, more('b', true)], ending: FAULT },
  { id: '5.2 pong in two fragments', frames: [{ ...pong('a'), fin: false }, more('b', true)], ending: FAULT },
  {
    id: '5.3 text in two fragments',
    frames: [text('fragment1', false), more('fragment2', true)],
    forwarded: ['fragment1fragment2'],
  },
  {
    id: '5.4 binary in two fragments',
    frames: [binary(patternBytes(9), false), more(patternBytes(9), true)],
    forwarded: [Buffer.concat([patternBytes(9), patternBytes(9)])],
  },
  {
    id: '5.5 text of empty fragments',
    frames: [text('', false), more(''), more('', true)],
    forwarded: [''],
  },
  {
    id: '5.6 text in two fragments with a ping between',
    frames: [text('fragment1', false), ping('between'), more('fragment2', true)],
    forwarded: ['fragment1fragment2'],
    pinged: ['between'],
  },
  {
    id: '5.7 text in two fragments with a pong between',
    frames: [text('fragment1', false), pong('between'), more('fragment2', true)],
    forwarded: ['fragment1fragment2'],
  },
  {
    id: '5.8 text in two fragments with ten pings between',
    frames: [text('fragment1', false), ...TEN.map((payload) => ping(payload)), more('fragment2', true)],
    forwarded: ['fragment1fragment2'],
    pinged: TEN,
  },
  {
    id: '5.9 last continuation of nothing, then text',
    frames: [more('nothing', true), text('hello')],
    ending: FAULT,
  },
  {
    id: '5.10 last continuation of nothing after a message, then text',
    frames: [text('hello'), more('nothing', true), text('hello')],
    forwarded: ['hello'],
    ending: FAULT,
  },
  { id: '5.11 empty last continuation of nothing', frames: [more('', true)], ending: FAULT },
  {
    id: '5.12 continuation of nothing, then text',
    frames: [more('nothing'), text('hello')],
    ending: FAULT,
  },
  {
    id: '5.13 continuation of nothing after a message, then text',
    frames: [text('hello'), more('nothing'), text('hello')],
    forwarded: ['hello'],
    ending: FAULT,
  },
  { id: '5.14 empty continuation of nothing', frames: [more('')], ending: FAULT },
  {
    id: '5.15 text in two fragments, then a continuation of nothing, then text',
    frames: [text('fragment1', false), more('fragment2', true), more('nothing'), text('hello')],
    forwarded: ['fragment1fragment2'],
    ending: FAULT,
  },
  {
    id: '5.16 continuation of nothing, then a message in three fragments',
    frames: [more('nothing'), text('a', false), more('b'), more('c', true)],
    ending: FAULT,
  },
  {
    id: '5.17 last continuation of nothing, then a message in three fragments',
    frames: [more('nothing', true), text('a', false), more('b'), more('c', true)],
    ending: FAULT,
  },
  {
    id: '5.18 text in two fragments that both say text',
    frames: [text('fragment1', false), text('fragment2')],
    ending: FAULT,
  },
  {
    id: '5.19 text in five fragments with pings between, then a ping',
    frames: [
      text('fragment1', false),
      more('fragment2'),
      ping('pongme 1!'),
      more('fragment3'),
      more('fragment4'),
      ping('pongme 2!'),
      more('fragment5', true),
      ping('pongme 3!'),
    ],
    forwarded: ['fragment1fragment2fragment3fragment4fragment5'],
    pinged: ['pongme 1!', 'pongme 2!', 'pongme 3!'],
  },
  {
    id: '5.20 binary inside a text message',
    frames: [text('a', false), binary(patternBytes(3)), more('b', true)],
    ending: FAULT,
  },
  {
    id: '5.21 a hundred fragments of a byte',
    frames: fragments(1, Buffer.from(stars(100)), 1),
    forwarded: [stars(100)],
  },
];

const GREEK = 'Κόσμε-µ@ßöäüàá-UTF-8!!';
/** Sequences that no UTF-8 decoder may accept. */
const BROKEN = ['ff', 'c0af', 'eda080', 'f4908080', 'e282', '80', 'cebae1bdb9cf83cebcceb5eda080656469746564'];

/** Text passes through as it is: its UTF-8 is the endpoints' business (Layer 1 §6). */
export const UTF8: readonly ConformanceCase[] = [
  { id: '6.1 valid text', frames: [text(GREEK)], forwarded: [GREEK] },
  {
    id: '6.2 valid text, cut inside of characters',
    frames: fragments(1, Buffer.from(GREEK), 1),
    forwarded: [GREEK],
  },
  {
    id: '6.3 text with a byte order mark and zeros',
    frames: [text('\uFEFF\0\0')],
    forwarded: ['\uFEFF\0\0'],
  },
];

/** The same, for bytes that are no text at all. */
export const BROKEN_UTF8: readonly { readonly id: string; readonly bytes: Buffer }[] = BROKEN.map(
  (hex, index) => ({ id: `6.4.${index + 1} text of the bytes ${hex}`, bytes: Buffer.from(hex, 'hex') }),
);

const VALID_CODES = [
  1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
];
const INVALID_CODES = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535];

export const CLOSING: readonly ConformanceCase[] = [
  {
    id: '7.1.1 text, then close',
    frames: [text('hello'), close(closeBody(1000))],
    forwarded: ['hello'],
    ending: { code: 1000 },
  },
  {
    id: '7.1.2 two closes',
    frames: [close(closeBody(1000)), close(closeBody(1001))],
    ending: { code: 1000 },
  },
  {
    id: '7.1.3 close, then ping',
    frames: [close(closeBody(1000)), ping()],
    ending: { code: 1000 },
  },
  {
    id: '7.1.4 close, then text',
    frames: [close(closeBody(1000)), text('hello')],
    ending: { code: 1000 },
  },
  {
    id: '7.1.5 a fragment, then close, then the last fragment',
    frames: [text('fragment1', false), close(closeBody(1000)), more('fragment2', true)],
    ending: { code: 1000 },
  },
  {
    id: '7.1.6 a large message, then text, then close, then ping',
    frames: [text(stars(LIMIT_BYTES)), text('hello'), close(closeBody(1000)), ping()],
    forwarded: [stars(LIMIT_BYTES), 'hello'],
    ending: { code: 1000 },
  },
  {
    id: '7.1.7 close, then a fault',
    frames: [close(closeBody(1000)), { opcode: 7 }],
    ending: { code: 1000 },
  },
  {
    id: '7.1.8 ping, then close',
    frames: [ping('last'), close(closeBody(1000))],
    pinged: ['last'],
    ending: { code: 1000 },
  },
  { id: '7.3.1 close without a body', frames: [close()], ending: { code: 1005 } },
  { id: '7.3.2 close with a body of one byte', frames: [close('a')], ending: FAULT },
  { id: '7.3.3 close with a code', frames: [close(closeBody(1000))], ending: { code: 1000 } },
  { id: '7.3.4 close with a reason', frames: [close(closeBody(1000, 'Hello!'))], ending: { code: 1000 } },
  {
    id: '7.3.5 close with a reason of 123 bytes',
    frames: [close(closeBody(1000, stars(123)))],
    ending: { code: 1000 },
  },
  {
    id: '7.3.6 close with a reason of 124 bytes',
    frames: [close(closeBody(1000, stars(124)))],
    ending: FAULT,
  },
  { id: '7.3.7 close in two fragments', frames: [{ ...close(), fin: false }], ending: FAULT },
  ...BROKEN.map((hex, index) => ({
    id: `7.5.${index + 1} close with a reason of the bytes ${hex}`,
    frames: [close(closeBody(1000, Buffer.from(hex, 'hex')))],
    ending: NO_TEXT,
  })),
  ...VALID_CODES.map((code, index) => ({
    id: `7.7.${index + 1} close with code ${code}`,
    frames: [close(closeBody(code))],
    ending: { code },
  })),
  ...INVALID_CODES.map((code, index) => ({
    id: `7.9.${index + 1} close with code ${code}`,
    frames: [close(closeBody(code))],
    ending: FAULT,
  })),
];

const LARGE = patternBytes(LIMIT_BYTES);

export const LIMITS: readonly ConformanceCase[] = [
  { id: '9.1.1 text at the limit', frames: [text(stars(LIMIT_BYTES))], forwarded: [stars(LIMIT_BYTES)] },
  { id: '9.1.2 text one byte over the limit', frames: [text(stars(LIMIT_BYTES + 1))], ending: TOO_BIG },
  { id: '9.2.1 binary at the limit', frames: [binary(LARGE)], forwarded: [LARGE] },
  {
    id: '9.2.2 binary one byte over the limit, after one at the limit',
    frames: [binary(LARGE), binary(Buffer.alloc(LIMIT_BYTES + 1))],
    forwarded: [LARGE],
    ending: TOO_BIG,
  },
  ...[64, 256, 1024, 4096, 16_384, 65_536].map((size, index) => ({
    id: `9.3.${index + 1} a message at the limit in fragments of ${size} bytes`,
    frames: fragments(2, LARGE, size),
    forwarded: [LARGE],
  })),
  {
    id: '9.4.1 a fragment at the limit, an empty one and one byte more',
    frames: [binary(LARGE, false), more(''), more('x', true)],
    ending: TOO_BIG,
  },
  {
    id: '9.4.2 fragments that exceed the limit together, small at the end',
    frames: [...fragments(2, LARGE, 16_384).map((frame) => ({ ...frame, fin: false })), more('x', true)],
    ending: TOO_BIG,
  },
  {
    id: '9.4.3 fragments at the limit with pings between, which do not count',
    frames: fragments(2, LARGE, 32_768).flatMap((frame) => [ping(stars(125)), frame]),
    forwarded: [LARGE],
    pinged: Array.from({ length: 4 }, () => stars(125)),
  },
  ...[2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n - 1n].map((declaredBytes, index) => ({
    id: `9.5.${index + 1} a declared length of ${declaredBytes}, refused before any payload`,
    frames: [{ opcode: 2, declaredBytes }],
    ending: TOO_BIG,
  })),
  {
    id: '9.5.5 a declared length with its top bit set',
    frames: [{ opcode: 2, declaredBytes: 2n ** 63n }],
    ending: FAULT,
  },
  {
    id: '9.7.1 a thousand messages of 100 bytes',
    frames: Array.from({ length: 1000 }, (_, index) => text(`${index} ${stars(95)}`)),
    forwarded: Array.from({ length: 1000 }, (_, index) => `${index} ${stars(95)}`),
  },
];

export const AUTO_FRAGMENTATION: readonly ConformanceCase[] = [
  {
    id: '10.1.1 text of 65536 bytes in fragments of 1300',
    frames: fragments(1, Buffer.from(stars(65_536)), 1300),
    forwarded: [stars(65_536)],
  },
  {
    id: '10.1.2 binary of 65536 bytes in fragments of 65535',
    frames: fragments(2, patternBytes(65_536), 65_535),
    forwarded: [patternBytes(65_536)],
  },
];
