/** Types of tunnel frames (tunnel.md, Layer 3). */
export const PEER_FRAME = {
  httpRequest: 1,
  httpBody: 2,
  httpResponse: 3,
  streamEnd: 4,
  streamAbort: 5,
  wsOpen: 6,
  wsOpened: 7,
  wsText: 8,
  wsBinary: 9,
  wsClose: 10,
  ping: 11,
  pong: 12,
} as const;

/** One tunnel frame. */
export interface PeerFrame {
  readonly type: number;
  readonly id: number;
  readonly payload: Buffer;
  /** Whether more fragments of the message follow. */
  readonly hasMore: boolean;
}

/** A frame to send: text is sent as UTF-8, anything else but bytes as JSON. */
export interface PeerFrameInput {
  readonly type: number;
  readonly id: number;
  /** @default empty */
  readonly payload?: unknown;
  /** @default false */
  readonly hasMore?: boolean | undefined;
}

const MORE_FRAGMENTS = 0x80;
const HEADER_BYTES = 5;
const SINGLE = 0;
const BATCH = 1;

export function encodePeerFrame(frame: PeerFrameInput): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = frame.hasMore === true ? frame.type | MORE_FRAGMENTS : frame.type;
  header.writeUInt32BE(frame.id, 1);
  return Buffer.concat([header, toBytes(frame.payload)]);
}

/** @throws {Error} when it is too short to be a frame. */
export function decodePeerFrame(bytes: Buffer): PeerFrame {
  if (bytes.length < HEADER_BYTES) throw new Error(`a frame of ${bytes.length} bytes`);
  const first = bytes[0] ?? 0;
  return {
    type: first & ~MORE_FRAGMENTS,
    hasMore: (first & MORE_FRAGMENTS) !== 0,
    id: bytes.readUInt32BE(1),
    payload: bytes.subarray(HEADER_BYTES),
  };
}

/** The plaintext of one frame alone. */
export function singlePlaintext(frame: Buffer, isBatching: boolean): Buffer {
  return isBatching ? Buffer.concat([Buffer.of(SINGLE), frame]) : frame;
}

/** The plaintext of several frames, where both ends batch. */
export function batchPlaintext(frames: readonly Buffer[]): Buffer {
  const parts = frames.flatMap((frame) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(frame.length);
    return [length, frame];
  });
  return Buffer.concat([Buffer.of(BATCH), ...parts]);
}

/** @throws {Error} when the plaintext breaks the contract. */
export function splitPlaintext(plaintext: Buffer, isBatching: boolean): readonly PeerFrame[] {
  if (!isBatching) return [decodePeerFrame(plaintext)];
  if (plaintext[0] === SINGLE) return [decodePeerFrame(plaintext.subarray(1))];
  if (plaintext[0] !== BATCH) throw new Error(`a plaintext that begins with ${plaintext[0]}`);
  const frames: PeerFrame[] = [];
  for (let at = 1; at < plaintext.length; ) {
    if (at + 4 > plaintext.length) throw new Error('a batch that ends within a length');
    const end = at + 4 + plaintext.readUInt32BE(at);
    if (end > plaintext.length) throw new Error('a batch that ends within a frame');
    frames.push(decodePeerFrame(plaintext.subarray(at + 4, end)));
    at = end;
  }
  if (frames.length === 0) throw new Error('an empty batch');
  return frames;
}

function toBytes(payload: unknown): Buffer {
  if (payload === undefined) return Buffer.alloc(0);
  if (payload instanceof Uint8Array) return Buffer.from(payload);
  return Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
}
