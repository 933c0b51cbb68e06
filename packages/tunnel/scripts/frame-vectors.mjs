// Frames and plaintexts of Layer 3, put together byte by byte.

const MAX_PAYLOAD = 65_526;

/** Every type, with a payload as it may look. */
const TYPES = [
  ['HttpRequest', 1, '{"method":"GET","path":"/","query":"","headers":{}}'],
  ['HttpBody', 2, 'some bytes of a body'],
  ['HttpResponse', 3, '{"status":200,"headers":{}}'],
  ['StreamEnd', 4, ''],
  ['StreamAbort', 5, '{"reason":"cancelled"}'],
  ['WsOpen', 6, '{"path":"/socket","query":""}'],
  ['WsOpened', 7, '{}'],
  ['WsText', 8, 'a text — not ASCII alone'],
  ['WsBinary', 9, '\u0000\u0001\u0002'],
  ['WsClose', 10, '{"code":1000,"reason":""}'],
  ['Ping', 11, ''],
  ['Pong', 12, ''],
];

function frame(name, type, streamId, { hasMore = false, payload = Buffer.alloc(0) } = {}) {
  const header = Buffer.alloc(5);
  header.writeUInt8(hasMore ? type + 128 : type, 0);
  header.writeUInt32BE(streamId, 1);
  return {
    name,
    type,
    hasMore,
    streamId,
    payload: payload.toString('hex'),
    bytes: Buffer.concat([header, payload]).toString('hex'),
  };
}

function typeFrames() {
  return TYPES.map(([name, type, text]) =>
    frame(name, type, name.startsWith('P') ? 0 : 1, { payload: Buffer.from(text) }),
  );
}

export function makeFrameVectors() {
  const frames = [
    ...typeFrames(),
    frame('a fragment of a text', 8, 3, { hasMore: true, payload: Buffer.from('frag') }),
    frame('a fragment of a binary message', 9, 3, { hasMore: true, payload: Buffer.of(0, 255) }),
    frame('an empty fragment', 9, 3, { hasMore: true }),
    frame('stream id 258', 2, 258, { payload: Buffer.of(1) }),
    frame('the highest stream id', 4, 0xffffffff),
    frame('a stream id with the highest bit', 4, 0x80000001),
    frame('a type of a later version', 127, 5, { hasMore: true, payload: Buffer.from('later') }),
    frame('type 0', 0, 0),
  ];
  const full = { type: 2, streamId: 0x01020304, payloadByte: 0x5a, payloadLength: MAX_PAYLOAD };
  return {
    frames,
    // Too long to be written out: the header, and what it is followed by.
    full: { ...full, header: '0201020304' },
    bad: [
      { name: 'nothing', bytes: '' },
      { name: 'a type alone', bytes: '02' },
      { name: 'one byte short of a header', bytes: '02000000' },
    ],
    messages: makeMessages(),
  };
}

/** Messages in fragments: a character of four bytes is cut in two, and a byte order mark stays. */
function makeMessages() {
  const rows = [
    ['one text', 8, 'whole', [5]],
    ['an empty text', 8, '', [0]],
    ['a text in three', 8, 'one two three', [4, 4, 5]],
    ['a character cut in two', 8, 'a\u{1f600}b', [3, 3]],
    ['a byte order mark', 8, '\ufeffx', [2, 2]],
    ['empty fragments', 8, 'ab', [0, 1, 0, 1, 0]],
    ['one binary message', 9, '\u0000\u0001', [2]],
    ['a binary message in two', 9, 'abcdef', [1, 5]],
    ['an empty binary message', 9, '', [0, 0]],
  ];
  return rows.map(([name, type, text, lengths]) => {
    const bytes = Buffer.from(text);
    let offset = 0;
    const frames = lengths.map((length, index) => {
      const payload = bytes.subarray(offset, offset + length);
      offset += length;
      return frame(name, type, 7, { hasMore: index < lengths.length - 1, payload }).bytes;
    });
    return type === 8 ? { name, frames, text } : { name, frames, binary: bytes.toString('hex') };
  });
}

function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes.toString('hex');
}

function batchOf(frames) {
  return `01${frames.map((bytes) => `${uint32(bytes.length / 2)}${bytes}`).join('')}`;
}

export function makePlaintextVectors() {
  const bytes = typeFrames().map(({ bytes }) => bytes);
  const [request, body, , end] = bytes;
  const requestToEnd = [request, body, end];
  return {
    good: [
      ...bytes.map((frame) => ({ isBatching: false, frames: [frame], plaintext: frame })),
      ...bytes.map((frame) => ({ isBatching: true, frames: [frame], plaintext: `00${frame}` })),
      { isBatching: true, frames: requestToEnd, plaintext: batchOf(requestToEnd) },
      { isBatching: true, frames: bytes, plaintext: batchOf(bytes) },
    ],
    tolerated: [{ name: 'a batch of one', isBatching: true, frames: [body], plaintext: batchOf([body]) }],
    broken: [
      ['nothing', false, ''],
      ['a frame cut in its header', false, '02000000'],
      ['nothing', true, ''],
      ['a single without a frame', true, '00'],
      ['a single cut in its header', true, '0002000000'],
      ['a batch without a frame', true, '01'],
      ['an unknown kind', true, `02${body}`],
      ['a kind with the highest bit', true, `80${body}`],
      ['a length cut short', true, '01000000'],
      ['a length without a frame', true, '0100000005'],
      ['a length of 0', true, `0100000000${batchOf([end]).slice(2)}`],
      ['a length below a header', true, '01000000040200000001'],
      ['a length one above what is left', true, '0100000006040000000100'.slice(0, -2)],
      ['the greatest length', true, `01ffffffff${end}`],
      ['a byte behind the last frame', true, `${batchOf([end])}00`],
      ['the second frame cut short', true, batchOf([end, body]).slice(0, -2)],
    ].map(([name, isBatching, plaintext]) => ({ name, isBatching, plaintext })),
  };
}
