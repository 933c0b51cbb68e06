import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameOpener } from '../../src/cipher/frame-opener.ts';
import { FrameSealer } from '../../src/cipher/frame-sealer.ts';
import {
  type AeadKey,
  type ImportAeadKey,
  MAX_PLAINTEXT_BYTES,
  SEALED_OVERHEAD_BYTES,
  webCryptoAeadKey,
} from '../../src/index.ts';
import { createNodeAeadKey } from '../../src/node/index.ts';
import { fromHex, toHex } from '../frame/bytes.ts';
import { directions, refusedFrames } from './vectors.ts';

const CIPHERS: readonly (readonly [string, ImportAeadKey])[] = [
  ['WebCrypto', webCryptoAeadKey],
  ['node:crypto', createNodeAeadKey],
];
const [direction] = directions;
if (direction === undefined) throw new Error('there are no directions');
const { ivPrefix } = direction;
const rawKey = fromHex(direction.key);

describe.each(CIPHERS)('frames by %s', (_name, importAeadKey) => {
  describe.each(directions)('$direction', ({ key, ivPrefix, frames, late }) => {
    it('are sealed to the golden bytes', async () => {
      const sealer = new FrameSealer({ key: await importAeadKey(fromHex(key)), ivPrefix: fromHex(ivPrefix) });
      for (const { plaintext, frame } of frames) {
        expect(toHex(await sealer.seal(fromHex(plaintext)))).toBe(frame);
      }
    });

    it('are sealed to the golden bytes under late counters', async () => {
      const aead = await importAeadKey(fromHex(key));
      for (const { counter, plaintext, frame } of late) {
        const sealer = new FrameSealer({ key: aead, ivPrefix: fromHex(ivPrefix), lastCounter: counter - 1 });
        expect(toHex(await sealer.seal(fromHex(plaintext)))).toBe(frame);
      }
    });

    it('are opened', async () => {
      const opener = new FrameOpener(await importAeadKey(fromHex(key)));
      for (const { plaintext, frame } of [...frames, ...late]) {
        const opened = await opener.open(fromHex(frame));
        expect(opened === undefined ? undefined : toHex(opened)).toBe(plaintext);
      }
    });
  });

  it.each(refusedFrames)('are refused: $name', async ({ before, frame }) => {
    const opener = new FrameOpener(await importAeadKey(rawKey));
    for (const earlier of before) expect(await opener.open(fromHex(earlier))).toBeDefined();
    expect(await opener.open(fromHex(frame))).toBeUndefined();
  });

  it('are refused under the key of the other direction', async () => {
    const other = directions[1];
    const opener = new FrameOpener(await importAeadKey(fromHex(other?.key ?? '')));
    expect(await opener.open(fromHex(direction.frames[0]?.frame ?? ''))).toBeUndefined();
  });

  it('carry a plaintext at the limit', async () => {
    const key = await importAeadKey(rawKey);
    const plaintext = new Uint8Array(MAX_PLAINTEXT_BYTES).fill(9);
    const frame = await new FrameSealer({ key, ivPrefix: fromHex(ivPrefix) }).seal(plaintext);
    expect(frame).toHaveLength(MAX_PLAINTEXT_BYTES + SEALED_OVERHEAD_BYTES);
    const opened = await new FrameOpener(key).open(frame);
    expect(opened).toHaveLength(MAX_PLAINTEXT_BYTES);
    expect(opened?.every((byte) => byte === 9)).toBe(true);
  });

  it('are refused when anything in them is changed', async () => {
    const key = await importAeadKey(rawKey);
    const whole = fromHex(direction.frames[0]?.frame ?? '');
    const position = fc.integer({ min: 0, max: whole.length - 1 });
    await fc.assert(
      fc.asyncProperty(position, fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = whole.slice();
        changed[at] = (changed[at] ?? 0) ^ change;
        expect(await new FrameOpener(key).open(changed)).toBeUndefined();
      }),
    );
  });
});

/** Counts what it is asked for, and encrypts nothing. */
function countingKey(): AeadKey & { readonly ivs: Uint8Array[]; opened: number } {
  return {
    ivs: [],
    opened: 0,
    seal(iv, plaintext) {
      this.ivs.push(iv);
      return plaintext;
    },
    open(frame) {
      this.opened++;
      return frame;
    },
  };
}

describe('FrameSealer', () => {
  it('throws for a plaintext one byte over the limit, and spends no counter on it', () => {
    const key = countingKey();
    const sealer = new FrameSealer({ key, ivPrefix: fromHex(ivPrefix) });
    expect(() => sealer.seal(new Uint8Array(MAX_PLAINTEXT_BYTES + 1))).toThrow(RangeError);
    void sealer.seal(new Uint8Array(1));
    expect(key.ivs.map(toHex)).toEqual([`${ivPrefix}0000000000000001`]);
  });

  it('throws rather than use a counter twice', () => {
    const key = countingKey();
    const lastCounter = Number.MAX_SAFE_INTEGER - 1;
    const sealer = new FrameSealer({ key, ivPrefix: fromHex(ivPrefix), lastCounter });
    void sealer.seal(new Uint8Array());
    expect(() => sealer.seal(new Uint8Array())).toThrow(RangeError);
    expect(() => sealer.seal(new Uint8Array())).toThrow(RangeError);
    expect(key.ivs.map(toHex)).toEqual([`${ivPrefix}001fffffffffffff`]);
  });

  it('gives each frame an IV of its own, also while others are under way', () => {
    const key = countingKey();
    const sealer = new FrameSealer({ key, ivPrefix: fromHex(ivPrefix) });
    for (let count = 0; count < 300; count++) void sealer.seal(new Uint8Array());
    expect(new Set(key.ivs.map(toHex)).size).toBe(300);
    expect(new Set(key.ivs.map(({ buffer }) => buffer)).size).toBe(300);
  });

  it('throws for a random part that is not 4 bytes long', () => {
    const key = countingKey();
    expect(() => new FrameSealer({ key, ivPrefix: new Uint8Array(3) })).toThrow(RangeError);
    expect(() => new FrameSealer({ key, ivPrefix: new Uint8Array(5) })).toThrow(RangeError);
  });
});

describe('FrameOpener', () => {
  it('does not trouble the cipher with a frame over the limit', () => {
    const frame = new Uint8Array(MAX_PLAINTEXT_BYTES + SEALED_OVERHEAD_BYTES + 1).fill(1);
    const key = countingKey();
    expect(new FrameOpener(key).open(frame)).toBeUndefined();
    expect(key.opened).toBe(0);
    expect(new FrameOpener(key).open(frame.subarray(1))).toBeDefined();
  });

  it('takes exactly the frames whose counters rise', () => {
    const counters = fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 20 });
    fc.assert(
      fc.property(counters, (counters) => {
        const opener = new FrameOpener(countingKey());
        let last = 0n;
        for (const counter of counters) {
          const frame = new Uint8Array(SEALED_OVERHEAD_BYTES);
          frame[0] = 1;
          new DataView(frame.buffer).setBigUint64(5, counter);
          expect(opener.open(frame) !== undefined).toBe(counter > last);
          if (counter > last) last = counter;
        }
      }),
    );
  });
});
