import { createRequire } from 'node:module';

/** Where masked payload lies in a chunk, where it goes, and the key (RFC 6455 §5.3). */
export interface MaskedRun {
  /** First masked byte. */
  from: number;
  /** Where the first unmasked byte goes; never above `from`. */
  to: number;
  /** Bytes to unmask. */
  length: number;
  /** Masking key as a little-endian 32-bit integer, rotated so that its low byte is for the first byte. */
  key: number;
}

/** Unmasks a run within one chunk, moving it towards the front on the way. */
export type Unmask = (chunk: Buffer, run: MaskedRun) => void;

/** Below this the set-up of the word loop costs more than it saves, in bytes. */
const BYTEWISE_BELOW = 48;

/** Rotates a key so that it fits a run that starts `bytes` further on. */
export function rotateKey(key: number, bytes: number): number {
  const shift = (bytes & 3) << 3;
  return shift === 0 ? key : (key >>> shift) | (key << (32 - shift));
}

/** Unmasks with a 32-bit word at a time: the way without native code. */
export function unmaskByWords(chunk: Buffer, run: MaskedRun): void {
  const { length, key } = run;
  let { from, to } = run;
  if (length < BYTEWISE_BELOW) return unmaskByBytes(chunk, run);
  if (((from - to) & 3) !== 0) {
    // Words can only move by whole words; let memmove do the odd distance.
    chunk.copyWithin(to, from, from + length);
    from = to;
  }
  const lead = (4 - ((chunk.byteOffset + to) & 3)) & 3;
  unmaskByBytes(chunk, { from, to, length: lead, key });
  const words = (length - lead) >>> 2;
  const wordKey = rotateKey(key, lead) | 0;
  const view = new Int32Array(chunk.buffer, 0, (chunk.byteOffset + from + lead + words * 4) >>> 2);
  let source = (chunk.byteOffset + from + lead) >>> 2;
  let target = (chunk.byteOffset + to + lead) >>> 2;
  const end = source + words;
  while (source < end) {
    view[target++] = (view[source++] as number) ^ wordKey;
  }
  const done = lead + words * 4;
  unmaskByBytes(chunk, {
    from: from + done,
    to: to + done,
    length: length - done,
    key: rotateKey(key, done),
  });
}

function unmaskByBytes(chunk: Buffer, run: MaskedRun): void {
  const { from, to, length, key } = run;
  for (let i = 0; i < length; i++) {
    chunk[to + i] = (chunk[from + i] as number) ^ (key >>> ((i & 3) << 3));
  }
}

interface BufferUtil {
  mask(source: Buffer, key: Buffer, output: Buffer, offset: number, length: number): void;
}

/** From this size on a call into native code pays off, in bytes; bench/micro measures it. */
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
  return (chunk, run) => {
    if (run.length < NATIVE_FROM) return unmaskByWords(chunk, run);
    keyBytes.writeInt32LE(run.key | 0, 0);
    native.mask(chunk.subarray(run.from, run.from + run.length), keyBytes, chunk, run.to, run.length);
  };
}
