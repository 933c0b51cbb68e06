import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { patternPiece, patternPieces, patternSha256 } from '../../src/test-origin/pattern.ts';
import { startTestOrigin } from '../../src/test-origin/test-origin.ts';
import type { TestOrigin } from '../../src/test-origin/test-origin.ts';

async function start(): Promise<TestOrigin> {
  const origin = await startTestOrigin();
  onTestFinished(() => origin.close());
  return origin;
}

/** Without the Fetch API, which hides encodings and follows redirects. */
function get(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => request(url, resolve).once('error', reject).end());
}

async function bodyOf(message: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('the pattern is one endless sequence however it is cut, and has a known hash', () => {
  const bytes = 3_000_000;
  const whole = Buffer.concat([...patternPieces(bytes, 999_983)]);
  expect(Buffer.concat([...patternPieces(bytes, 4096)]).equals(whole)).toBe(true);
  expect(whole.subarray(1_048_500, 1_048_700).equals(patternPiece(1_048_500, 200))).toBe(true);
  expect(patternSha256(bytes)).toBe(createHash('sha256').update(whole).digest('hex'));
  // AES-128 of a block of zeros under a key of zeros (FIPS 197).
  expect(patternPiece(0, 16).toString('hex')).toBe('66e94bd4ef8a2c3b884cfa59ca342b2e');
});

test('echoes method, target, headers and body', async () => {
  const origin = await start();
  const answer = await fetch(`${origin.url}/echo?a=1&b=%2F`, {
    method: 'PATCH',
    body: 'hello',
    headers: { 'x-mine': 'yes' },
  });
  expect(await answer.json()).toMatchObject({
    method: 'PATCH',
    url: '/echo?a=1&b=%2F',
    headers: { 'x-mine': 'yes' },
    body: 'hello',
    bytes: 5,
  });
});

test('streams an upload back as it comes', async () => {
  const origin = await start();
  const upload = request(`${origin.url}/echo-stream`, { method: 'POST' });
  upload.flushHeaders();
  const [answer] = (await once(upload, 'response')) as [IncomingMessage];
  for (const text of ['first', 'second']) {
    upload.write(text);
    const [piece] = (await once(answer, 'data')) as [Buffer];
    expect(piece.toString()).toBe(text);
  }
  upload.end();
  await once(answer, 'end');
});

test.each(['', '?chunked'])('gives any number of known bytes (%s)', async (suffix) => {
  const origin = await start();
  const answer = await get(`${origin.url}/bytes/2500000${suffix}`);
  expect(answer.headers['content-length']).toBe(suffix === '' ? '2500000' : undefined);
  const body = await bodyOf(answer);
  expect(createHash('sha256').update(body).digest('hex')).toBe(patternSha256(2_500_000));
});

test('counts and hashes an upload', async () => {
  const origin = await start();
  const body = Buffer.concat([...patternPieces(5_000_000)]);
  const answer = await fetch(`${origin.url}/sink`, { method: 'POST', body });
  expect(await answer.json()).toEqual({ bytes: 5_000_000, sha256: patternSha256(5_000_000) });
});

test('sets several cookies', async () => {
  const origin = await start();
  expect((await fetch(`${origin.url}/cookies`)).headers.getSetCookie()).toHaveLength(3);
});

test('redirects as often and where it is told to', async () => {
  const origin = await start();
  expect((await fetch(`${origin.url}/redirect/3`)).url).toBe(`${origin.url}/echo`);
  const answer = await get(`${origin.url}/redirect/0?status=307&to=https://elsewhere.example/`);
  expect(answer.statusCode).toBe(307);
  expect(answer.headers.location).toBe('https://elsewhere.example/');
});

test('compresses', async () => {
  const origin = await start();
  const answer = await get(`${origin.url}/gzip`);
  expect(answer.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(await bodyOf(answer)).toString()).toBe('compressed '.repeat(1000));
});

test.each([200, 204, 304, 404, 418, 503])('answers with status %i', async (code) => {
  const origin = await start();
  const answer = await get(`${origin.url}/status/${code}`);
  expect(answer.statusCode).toBe(code);
  expect((await bodyOf(answer)).length > 0).toBe(code !== 204 && code !== 304);
});

test('remembers what reached it, the latest ones', async () => {
  const origin = await startTestOrigin({ recordLimit: 2 });
  onTestFinished(() => origin.close());
  for (const path of ['/a', '/b?c=d', '/e']) expect((await fetch(origin.url + path)).status).toBe(404);
  expect(origin.requests.map(({ path, query }) => [path, query])).toEqual([
    ['/b', 'c=d'],
    ['/e', ''],
  ]);
  expect(origin.requestsTotal).toBe(3);
});
