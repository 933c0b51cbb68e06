import { writeUint32 } from '../../frame/codec.ts';
import { MORE_FRAGMENTS_BIT } from '../../frame/frame-type.ts';
import { FRAME_HEADER_BYTES, MAX_PLAINTEXT_BYTES } from '../../limits.ts';

/** A frame whose payload is still in the pieces it was written in. */
export interface OutgoingFrame {
  readonly type: number;
  readonly hasMore: boolean;
  readonly streamId: number;
  readonly payloadBytes: number;
  readonly parts: readonly Uint8Array[];
  /** Of the pieces that end here. */
  readonly onCopied: readonly (() => void)[];
}

/** Kind of a plaintext that holds one frame. */
const SINGLE = 0x00;
/** Kind of a plaintext that holds several, each behind its length. */
const BATCH = 0x01;
const KIND_BYTES = 1;
const LENGTH_BYTES = 4;

/** Collects frames for one plaintext, so that every payload is copied once: into the buffer that is encrypted. */
export class PlaintextBuilder {
  readonly #isBatching: boolean;
  readonly #maxFrames: number;
  readonly #frames: OutgoingFrame[] = [];
  #bytes = KIND_BYTES;

  constructor({ isBatching, maxFrames }: { isBatching: boolean; maxFrames: number }) {
    this.#isBatching = isBatching;
    this.#maxFrames = isBatching ? maxFrames : 1;
  }

  /** Bytes that the payload of one more frame may have. */
  get room(): number {
    if (this.#frames.length === this.#maxFrames) return -1;
    return MAX_PLAINTEXT_BYTES - this.#bytes - LENGTH_BYTES - FRAME_HEADER_BYTES;
  }

  /** Adds a frame, whose payload must fit the room. */
  add(frame: OutgoingFrame): void {
    this.#frames.push(frame);
    this.#bytes += LENGTH_BYTES + FRAME_HEADER_BYTES + frame.payloadBytes;
  }

  /** Writes the plaintext. */
  build(): Uint8Array {
    const plaintext = this.#write();
    for (const { onCopied } of this.#frames) for (const tell of onCopied) tell();
    return plaintext;
  }

  #write(): Uint8Array {
    const [first] = this.#frames;
    if (first === undefined) throw new Error('a plaintext holds at least one frame');
    if (!this.#isBatching) return alone(first, 0);
    return this.#frames.length === 1 ? alone(first, KIND_BYTES) : this.#batch();
  }

  #batch(): Uint8Array {
    const plaintext = new Uint8Array(this.#bytes);
    plaintext[0] = BATCH;
    let offset = KIND_BYTES;
    for (const frame of this.#frames) {
      writeUint32(FRAME_HEADER_BYTES + frame.payloadBytes, plaintext, offset);
      offset = writeParts(frame, plaintext, offset + LENGTH_BYTES);
    }
    return plaintext;
  }
}

function alone(frame: OutgoingFrame, offset: number): Uint8Array {
  const plaintext = new Uint8Array(offset + FRAME_HEADER_BYTES + frame.payloadBytes);
  if (offset > 0) plaintext[0] = SINGLE;
  writeParts(frame, plaintext, offset);
  return plaintext;
}

function writeParts(frame: OutgoingFrame, target: Uint8Array, start: number): number {
  target[start] = frame.hasMore ? frame.type | MORE_FRAGMENTS_BIT : frame.type;
  writeUint32(frame.streamId, target, start + 1);
  let offset = start + FRAME_HEADER_BYTES;
  for (const part of frame.parts) {
    target.set(part, offset);
    offset += part.length;
  }
  return offset;
}
