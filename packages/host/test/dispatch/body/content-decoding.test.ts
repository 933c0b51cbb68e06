import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as zlib from 'node:zlib';
import { Inbox, patternPiece } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { decodeBody, parseCodings } from '../../../src/dispatch/body/content-decoding.ts';

type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

const ENCODE: Readonly<Record<Coding, (plain: Buffer) => Buffer>> = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  // Its own default takes seconds.
  br: (plain) => zlib.brotliCompressSync(plain, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: zlib.zstdCompressSync,
};

const CODINGS: readonly Coding[] = ['gzip', 'deflate', 'br', 'zstd'];

/** A compressor, and how to make it give out all it has. */
const STREAMING: Readonly<Record<Coding, () => { stream: zlib.Gzip; flush: number }>> = {
  gzip: () => ({ stream: zlib.createGzip(), flush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: () => ({ stream: zlib.createDeflate(), flush: zlib.constants.Z_SYNC_FLUSH }),
  br: () => ({
    stream: zlib.createBrotliCompress(),
    flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  }),
  zstd: () => ({
    stream: zlib.createZstdCompress(),
    flush: zlib.constants.ZSTD_e_flush,
  }),
};

/** A body that arrives in pieces of `size` bytes. */
function inPieces(bytes: Buffer, size: number): Readable {
  const pieces: Buffer[] = [];
  for (let offset = 0; offset < bytes.length; offset += size)
    pieces.push(bytes.subarray(offset, offset + size));
  return Readable.from(pieces, { objectMode: false });
}

describe('parseCodings', () => {
  it.each([
    [[], []],
    [[''], []],
    [['identity'], []],
    [['GZip'], ['gzip']],
    [['x-gzip'], ['gzip']],
    [
      ['deflate, br', 'zstd'],
      ['deflate', 'br', 'zstd'],
    ],
    [['gzip , identity,'], ['gzip']],
    [['gzip, gzip, gzip, gzip'], undefined],
    [['compress'], undefined],
    [['aes128gcm'], undefined],
    [['dcb'], undefined],
    [['gzip;q=1'], undefined],
  ])('reads %j as %j', (values, codings) => {
    expect(parseCodings(values)).toEqual(codings);
  });
});

describe('decodeBody', () => {
  const plain = Buffer.concat([patternPiece(0, 300_000), Buffer.alloc(300_000, 'text ')]);

  it.each(CODINGS)('takes %s off, however the bytes arrive', async (coding) => {
    const encoded = ENCODE[coding](plain);
    for (const size of [1000, 64 * 1024, Number.POSITIVE_INFINITY]) {
      const body = await decodeBody(inPieces(encoded, size), [coding]);
      expect((await buffer(body)).equals(plain)).toBe(true);
    }
    const bytewise = await decodeBody(inPieces(ENCODE[coding](Buffer.from('small')), 1), [coding]);
    expect(String(await buffer(bytewise))).toBe('small');
  });

  it('takes several off in the right order', async () => {
    const encoded = ENCODE.zstd(ENCODE.br(ENCODE.deflate(plain)));
    const body = await decodeBody(inPieces(encoded, 5000), ['deflate', 'br', 'zstd']);
    expect((await buffer(body)).equals(plain)).toBe(true);
  });

  it('takes deflate data without a wrapper too', async () => {
    const body = await decodeBody(inPieces(zlib.deflateRawSync(plain), 5000), ['deflate']);
    expect((await buffer(body)).equals(plain)).toBe(true);
  });

  it('takes what was compressed in several parts', async () => {
    const parts = Buffer.concat([zlib.gzipSync('one '), zlib.gzipSync('two')]);
    expect(String(await buffer(await decodeBody(inPieces(parts, 7), ['gzip'])))).toBe('one two');
  });

  it.each(CODINGS)('gives each byte of %s as soon as it can be known', async (coding) => {
    const { stream, flush } = STREAMING[coding]();
    const wire = new PassThrough();
    stream.pipe(wire);
    stream.write('event 0\n');
    stream.flush(flush);
    const body = await decodeBody(wire, [coding]);
    const seen = new Inbox<string>('events', (event) => event);
    body.on('data', (chunk: Buffer) => seen.push(String(chunk)));
    expect(await seen.take()).toBe('event 0\n');
    for (let count = 1; count < 5; count += 1) {
      stream.write(`event ${count}\n`);
      stream.flush(flush);
      expect(await seen.take()).toBe(`event ${count}\n`);
    }
  });

  it.each(CODINGS)('takes no byte for the empty body in %s', async (coding) => {
    expect((await buffer(await decodeBody(inPieces(Buffer.alloc(0), 1), [coding]))).length).toBe(0);
    const encoded = await decodeBody(inPieces(ENCODE[coding](Buffer.alloc(0)), 1), [coding]);
    expect((await buffer(encoded)).length).toBe(0);
  });

  it.each(CODINGS)('fails when %s is cut short', async (coding) => {
    const encoded = ENCODE[coding](plain);
    for (const length of [1, 5, encoded.length - 1]) {
      const body = await decodeBody(inPieces(encoded.subarray(0, length), 1000), [coding]);
      await expect(buffer(body), `${length} bytes`).rejects.toThrow(Error);
    }
  });

  it.each(CODINGS)('fails when %s is something else', async (coding) => {
    const body = await decodeBody(inPieces(Buffer.from('<!doctype html><p>not compressed'), 8), [coding]);
    await expect(buffer(body)).rejects.toThrow(Error);
  });

  it.each(CODINGS)('fails when a body in %s breaks off, before its first byte or after', async (coding) => {
    const early = new PassThrough();
    const nothing = decodeBody(early, [coding]);
    early.destroy(new Error('gone'));
    await expect(nothing).rejects.toThrow('gone');

    const silent = new PassThrough();
    const closed = decodeBody(silent, [coding]);
    silent.destroy();
    await expect(closed).rejects.toThrow('destroyed');

    const late = new PassThrough();
    late.write(ENCODE[coding](plain).subarray(0, 1000));
    const body = await decodeBody(late, [coding]);
    const read = buffer(body);
    late.destroy(new Error('gone'));
    await expect(read).rejects.toThrow('gone');
  });

  it.each(CODINGS)('unpacks no more of %s than is asked for', async (coding) => {
    const bomb = ENCODE[coding](Buffer.alloc(64 * 1024 * 1024));
    const body = await decodeBody(inPieces(bomb, 4096), [coding]);
    body.once('readable', () => undefined);
    await new Promise((resolve) => body.once('readable', resolve));
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
    expect(body.readableLength).toBeLessThan(1024 * 1024);
    body.destroy();
  });
});
