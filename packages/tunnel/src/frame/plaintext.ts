import { FRAME_HEADER_BYTES, MAX_PLAINTEXT_BYTES } from '../limits.ts';
import { frameByteLength, parseFrame, readUint32, writeFrame, writeUint32 } from './codec.ts';
import type { TunnelFrame } from './tunnel-frame.ts';

/** In front of a plaintext that holds one frame. */
const SINGLE = 0x00;
/** In front of a plaintext that holds several, each behind its length. */
const BATCH = 0x01;
/** Bytes of a frame's length in a batch. */
const LENGTH_BYTES = 4;

/** What the handshake has agreed on. */
export interface PlaintextForm {
  readonly isBatching: boolean;
}

/**
 * Writes frames into one plaintext: several only with batching. Throws a RangeError for frames that do not fit, and for
 * none at all.
 */
export function packPlaintext(frames: readonly TunnelFrame[], form: PlaintextForm): Uint8Array<ArrayBuffer> {
  const [first] = frames;
  if (first === undefined) throw new RangeError('a plaintext holds at least one frame');
  if (frames.length === 1) return packOne(first, form.isBatching);
  if (!form.isBatching)
    throw new RangeError(`without batching a plaintext holds one frame, got ${frames.length}`);
  return packBatch(frames);
}

/**
 * Reads the frames of a plaintext, whose payloads are views into it; `undefined` when its structure is broken. Types
 * that this version does not know are left in. Never throws.
 */
export function unpackPlaintext(
  plaintext: Uint8Array,
  form: PlaintextForm,
): readonly TunnelFrame[] | undefined {
  if (plaintext.length > MAX_PLAINTEXT_BYTES) return undefined;
  if (!form.isBatching) return only(parseFrame(plaintext));
  switch (plaintext[0]) {
    case SINGLE:
      return only(parseFrame(plaintext.subarray(1)));
    case BATCH:
      return unpackBatch(plaintext);
    default:
      return undefined;
  }
}

function packOne(frame: TunnelFrame, isBatching: boolean): Uint8Array<ArrayBuffer> {
  const start = isBatching ? 1 : 0;
  // The kind byte of a single frame is 0, as fresh memory is.
  const plaintext = new Uint8Array(start + frameByteLength(frame));
  writeFrame(frame, plaintext, start);
  return plaintext;
}

function packBatch(frames: readonly TunnelFrame[]): Uint8Array<ArrayBuffer> {
  let byteLength = 1;
  for (const frame of frames) byteLength += LENGTH_BYTES + frameByteLength(frame);
  if (byteLength > MAX_PLAINTEXT_BYTES) {
    throw new RangeError(`a plaintext has at most ${MAX_PLAINTEXT_BYTES} bytes, got ${byteLength}`);
  }
  const plaintext = new Uint8Array(byteLength);
  plaintext[0] = BATCH;
  let offset = 1;
  for (const frame of frames) {
    writeUint32(frameByteLength(frame), plaintext, offset);
    offset = writeFrame(frame, plaintext, offset + LENGTH_BYTES);
  }
  return plaintext;
}

function unpackBatch(plaintext: Uint8Array): readonly TunnelFrame[] | undefined {
  const frames: TunnelFrame[] = [];
  let offset = 1;
  while (offset < plaintext.length) {
    if (plaintext.length - offset < LENGTH_BYTES + FRAME_HEADER_BYTES) return undefined;
    const start = offset + LENGTH_BYTES;
    const end = start + readUint32(plaintext, offset);
    if (end > plaintext.length) return undefined;
    const frame = parseFrame(plaintext.subarray(start, end));
    if (frame === undefined) return undefined;
    frames.push(frame);
    offset = end;
  }
  return frames.length === 0 ? undefined : frames;
}

function only(frame: TunnelFrame | undefined): readonly TunnelFrame[] | undefined {
  return frame === undefined ? undefined : [frame];
}
