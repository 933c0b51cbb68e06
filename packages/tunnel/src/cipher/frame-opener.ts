import { readUint32 } from '../frame/codec.ts';
import { MAX_PLAINTEXT_BYTES, SEALED_OVERHEAD_BYTES } from '../limits.ts';
import type { AeadKey } from './aead.ts';
import { FRAME_VERSION, IV_OFFSET, IV_PREFIX_BYTES } from './sealed-frame.ts';

const COUNTER_OFFSET = IV_OFFSET + IV_PREFIX_BYTES;

/** Opens the encrypted frames of one direction, in the order they came. */
export class FrameOpener {
  readonly #key: AeadKey;
  /** The last counter in two halves, because its 64 bits do not fit a number. */
  #lastHigh = 0;
  #lastLow = 0;

  constructor(key: AeadKey) {
    this.#key = key;
  }

  /**
   * The plaintext; `undefined` when the frame is malformed, came before, or is not authentic. Then the channel is over:
   * the counter moves on before anyone knows whether the frame is authentic.
   */
  open(frame: Uint8Array): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    if (frame[0] !== FRAME_VERSION || frame.length < SEALED_OVERHEAD_BYTES) return undefined;
    if (frame.length > SEALED_OVERHEAD_BYTES + MAX_PLAINTEXT_BYTES) return undefined;
    return this.#advance(frame) ? this.#key.open(frame) : undefined;
  }

  /** Whether the counter is above the last one. */
  #advance(frame: Uint8Array): boolean {
    const high = readUint32(frame, COUNTER_OFFSET);
    const low = readUint32(frame, COUNTER_OFFSET + 4);
    if (high < this.#lastHigh) return false;
    if (high === this.#lastHigh && low <= this.#lastLow) return false;
    this.#lastHigh = high;
    this.#lastLow = low;
    return true;
  }
}
