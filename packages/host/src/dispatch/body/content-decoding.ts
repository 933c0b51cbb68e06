import { once } from 'node:events';
import { pipeline, type Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';

/** A content coding that can be taken off. */
type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

/** More than anybody applies, and no more than can be afforded. */
const MAX_CODINGS = 3;

/** Bytes that a decoder puts out at a time: about a tunnel frame. */
const CHUNK_BYTES = 64 * 1024;

/** `x-gzip` is another name for `gzip` (RFC 9110 section 8.4.1.3). */
const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  // Node before 22.15 has none.
  ...('createZstdDecompress' in zlib ? [['zstd', 'zstd'] as const] : []),
]);

/** The codings in the values of `content-encoding`, in the order they were applied; `undefined`: not to be taken off. */
export function parseCodings(values: readonly string[]): readonly Coding[] | undefined {
  const codings: Coding[] = [];
  for (const name of values.flatMap((value) => value.toLowerCase().split(','))) {
    const trimmed = name.trim();
    if (trimmed === '' || trimmed === 'identity') {
      continue;
    }
    const coding = CODINGS.get(trimmed);
    if (coding === undefined || codings.length === MAX_CODINGS) {
      return undefined;
    }
    codings.push(coding);
  }
  return codings;
}

/**
 * Takes codings off a body as it streams: each byte comes out as soon as it can be known, and nothing is unpacked that
 * nobody has asked for. A body without a byte is taken as empty in every coding. Fails as the body fails; bytes that are
 * broken or cut short fail the stream that is returned.
 */
export async function decodeBody(source: Readable, codings: readonly Coding[]): Promise<Readable> {
  let body = source;
  for (const coding of codings.toReversed()) {
    const firstByte = await peekByte(body);
    if (firstByte === undefined) {
      return body;
    }
    // Whoever reads the result hears of every error.
    body = pipeline(body, createDecoder(coding, firstByte), () => undefined);
  }
  return body;
}

function createDecoder(coding: Coding, firstByte: number): Transform {
  const options = { chunkSize: CHUNK_BYTES };
  switch (coding) {
    case 'gzip':
      return zlib.createGunzip(options);
    case 'deflate':
      // RFC 9110 section 8.4.1.2 means the zlib format, whose first byte ends in 8; some send bare deflate data.
      return (firstByte & 0x0f) === 8 ? zlib.createInflate(options) : zlib.createInflateRaw(options);
    case 'br':
      return zlib.createBrotliDecompress(options);
    case 'zstd':
      return zlib.createZstdDecompress(options);
  }
}

/** The first byte of a body, which stays in it; `undefined` when there is none. Rejects when the body breaks. */
async function peekByte(body: Readable): Promise<number | undefined> {
  while (!body.readableEnded) {
    const chunk: Buffer | null = body.read();
    if (chunk !== null) {
      body.unshift(chunk);
      return chunk[0];
    }
    if (body.destroyed) {
      throw body.errored ?? new Error('The body was destroyed');
    }
    await change(body);
  }
  return undefined;
}

/** Waits for whatever happens next to a body. */
async function change(body: Readable): Promise<void> {
  const done = new AbortController();
  const events = ['readable', 'end', 'close'].map((name) => once(body, name, { signal: done.signal }));
  try {
    await Promise.race(events);
  } finally {
    done.abort();
  }
}
