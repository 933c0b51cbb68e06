import { writeUint32 } from '../frame/codec.ts';
import { MAX_PLAINTEXT_BYTES } from '../limits.ts';
import type { AeadKey } from './aead.ts';
import { IV_BYTES, IV_PREFIX_BYTES } from './sealed-frame.ts';

const LOW_WORD = 0x1_0000_0000;

/** What one direction of a channel seals with. */
export interface SealerOptions {
  readonly key: AeadKey;
  /** 4 bytes, chosen at random for this direction of this channel. */
  readonly ivPrefix: Uint8Array;
  /** The counter of the last frame. @default 0 */
  readonly lastCounter?: number | undefined;
}

/** Seals the plaintexts of one direction, each under the next counter. */
export class FrameSealer {
  readonly #key: AeadKey;
  readonly #ivPrefix: Uint8Array;
  #lastCounter: number;

  constructor(options: SealerOptions) {
    const { key, ivPrefix, lastCounter = 0 } = options;
    if (ivPrefix.length !== IV_PREFIX_BYTES) {
      throw new RangeError(`an IV begins with ${IV_PREFIX_BYTES} random bytes, got ${ivPrefix.length}`);
    }
    this.#key = key;
    this.#ivPrefix = ivPrefix;
    this.#lastCounter = lastCounter;
  }

  /**
   * Makes one encrypted frame. Frames must leave in the order of the calls. Throws a RangeError for a plaintext that is
   * too long, and when the counters are used up: an IV is never used twice.
   */
  seal(plaintext: Uint8Array): Uint8Array | Promise<Uint8Array> {
    if (plaintext.length > MAX_PLAINTEXT_BYTES) {
      throw new RangeError(`a plaintext has at most ${MAX_PLAINTEXT_BYTES} bytes, got ${plaintext.length}`);
    }
    return this.#key.seal(this.#nextIv(), plaintext);
  }

  /** A new array each time: a cipher that works later may still read the last one. */
  #nextIv(): Uint8Array {
    // 2⁵³ frames take longer than any channel lives; a counter beyond that would no longer be exact.
    if (this.#lastCounter >= Number.MAX_SAFE_INTEGER) throw new RangeError('the counters are used up');
    const counter = this.#lastCounter + 1;
    this.#lastCounter = counter;
    const iv = new Uint8Array(IV_BYTES);
    iv.set(this.#ivPrefix);
    writeUint32(Math.floor(counter / LOW_WORD), iv, IV_PREFIX_BYTES);
    writeUint32(counter % LOW_WORD, iv, IV_PREFIX_BYTES + 4);
    return iv;
  }
}
