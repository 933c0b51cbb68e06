import { FRAME_HEADER_BYTES, MAX_PAYLOAD_BYTES } from '../limits.ts';
import { MORE_FRAGMENTS_BIT } from './frame-type.ts';
import type { TunnelFrame } from './tunnel-frame.ts';

/** Most that fits the field of a stream id. */
const MAX_STREAM_ID = 0xffff_ffff;

/** Bytes that a frame takes, header and payload. */
export function frameByteLength(frame: TunnelFrame): number {
  return FRAME_HEADER_BYTES + frame.payload.length;
}

/** Writes one frame: type, stream id (big-endian), payload. Throws a RangeError for what no frame can say. */
export function encodeFrame(frame: TunnelFrame): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(frameByteLength(frame));
  writeFrame(frame, bytes, 0);
  return bytes;
}

/** Writes a frame into `target` from `offset` on, and gives the offset behind it. Throws like {@link encodeFrame}. */
export function writeFrame(frame: TunnelFrame, target: Uint8Array, offset: number): number {
  const { type, hasMore, streamId, payload } = frame;
  if (!isUnsigned(type, MORE_FRAGMENTS_BIT - 1)) throw new RangeError(`no frame has the type ${type}`);
  if (!isUnsigned(streamId, MAX_STREAM_ID)) throw new RangeError(`no frame has the stream id ${streamId}`);
  if (payload.length > MAX_PAYLOAD_BYTES) {
    throw new RangeError(`a payload has at most ${MAX_PAYLOAD_BYTES} bytes, got ${payload.length}`);
  }
  target[offset] = hasMore ? type | MORE_FRAGMENTS_BIT : type;
  writeUint32(streamId, target, offset + 1);
  target.set(payload, offset + FRAME_HEADER_BYTES);
  return offset + FRAME_HEADER_BYTES + payload.length;
}

/** Reads one frame, whose payload is a view into `bytes`; `undefined` when it is too short or too long. Never throws. */
export function parseFrame(bytes: Uint8Array): TunnelFrame | undefined {
  const typeByte = bytes[0];
  if (typeByte === undefined || bytes.length < FRAME_HEADER_BYTES) return undefined;
  if (bytes.length > FRAME_HEADER_BYTES + MAX_PAYLOAD_BYTES) return undefined;
  return {
    type: typeByte & ~MORE_FRAGMENTS_BIT,
    hasMore: (typeByte & MORE_FRAGMENTS_BIT) !== 0,
    streamId: readUint32(bytes, 1),
    payload: bytes.subarray(FRAME_HEADER_BYTES),
  };
}

/** Writes a big-endian number of 32 bits. */
export function writeUint32(value: number, target: Uint8Array, offset: number): void {
  target[offset] = value >>> 24;
  target[offset + 1] = value >>> 16;
  target[offset + 2] = value >>> 8;
  target[offset + 3] = value;
}

/** Reads a big-endian number of 32 bits; bytes that are not there count as 0. */
export function readUint32(bytes: Uint8Array, offset: number): number {
  const high = ((bytes[offset] ?? 0) << 8) | (bytes[offset + 1] ?? 0);
  const low = ((bytes[offset + 2] ?? 0) << 8) | (bytes[offset + 3] ?? 0);
  return ((high << 16) | low) >>> 0;
}

function isUnsigned(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}
