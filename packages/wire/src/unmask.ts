import { createRequire } from 'node:module';

/** Where masked payload lies, where it goes, and its key (RFC 6455 §5.3). */
export interface MaskedRun {
  /** First masked byte in the source. */
  from: number;
  /** Where the first unmasked byte goes in the target. */
  to: number;
  /** Bytes to unmask. */
  length: number;
  /** Masking key as a little-endian 32-bit integer, rotated so that its low byte is for the first byte. */
  key: number;
}

/** Payload that is masked where it lies. */
export interface MaskedPayload {
  readonly source: Buffer;
  readonly from: number;
  readonly length: number;
  readonly key: number;
}

/** Unmasks a run of the source into the target; the two must not overlap. */
export type Unmask = (source: Buffer, target: Buffer, run: MaskedRun) => void;

/** The payload, unmasked, in a buffer of its own. */
export function unmaskedCopy({ source, from, length, key }: MaskedPayload, unmask: Unmask): Buffer {
  const copy = Buffer.allocUnsafe(length);
  unmask(source, copy, { from, to: 0, length, key });
  return copy;
}

/** Below this the set-up of the word loop costs more than it saves, in bytes. */
const BYTEWISE_BELOW = 48;

/** Rotates a key so that it fits a run that starts `bytes` further on. */
export function rotateKey(key: number, bytes: number): number {
  const shift = (bytes & 3) << 3;
  return shift === 0 ? key : (key >>> shift) | (key << (32 - shift));
}

/** Unmasks a 32-bit word at a time: the way without native code. */
export function unmaskByWords(source: Buffer, target: Buffer, run: MaskedRun): void {
  const { from, to, length, key } = run;
  if (length < BYTEWISE_BELOW) return unmaskByBytes(source, target, run);
  const fromByte = source.byteOffset + from;
  const toByte = target.byteOffset + to;
  if (((fromByte - toByte) & 3) !== 0) {
    // Words only move by whole words; memmove does the odd distance.
    source.copy(target, to, from, from + length);
    return unmaskByWords(target, target, { from: to, to, length, key });
  }
  const lead = -toByte & 3;
  const words = (length - lead) >>> 2;
  const tail = lead + words * 4;
  unmaskByBytes(source, target, { from, to, length: lead, key });
  xorWords(
    new Int32Array(source.buffer, fromByte + lead, words),
    new Int32Array(target.buffer, toByte + lead, words),
    rotateKey(key, lead) | 0,
  );
  unmaskByBytes(source, target, {
    from: from + tail,
    to: to + tail,
    length: length - tail,
    key: rotateKey(key, tail),
  });
}

function xorWords(source: Int32Array, target: Int32Array, key: number): void {
  const { length } = target;
  for (let i = 0; i < length; i++) target[i] = (source[i] as number) ^ key;
}

function unmaskByBytes(source: Buffer, target: Buffer, run: MaskedRun): void {
  const { from, to, length, key } = run;
  for (let i = 0; i < length; i++) {
    target[to + i] = (source[from + i] as number) ^ (key >>> ((i & 3) << 3));
  }
}

interface BufferUtil {
  mask(source: Buffer, key: Buffer, output: Buffer, offset: number, length: number): void;
}

/** From this size on a call into native code pays off, in bytes. */
const NATIVE_FROM = 512;

/** Unmasks large runs with `bufferutil` when it is installed; undefined when it is not. */
export function loadNativeUnmask(): Unmask | undefined {
  let native: BufferUtil;
  try {
    native = createRequire(import.meta.url)('bufferutil') as BufferUtil;
  } catch {
    // An optional dependency: without it the word loop does the same work.
    return undefined;
  }
  const keyBytes = Buffer.alloc(4);
  return (source, target, run) => {
    const { from, to, length, key } = run;
    if (length < NATIVE_FROM) return unmaskByWords(source, target, run);
    keyBytes.writeInt32LE(key | 0, 0);
    native.mask(source.subarray(from, from + length), keyBytes, target, to, length);
  };
}
