import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventually, FakeClock, type RawSocket } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { readBody, type RawSocketLimiter } from '../../src/index.ts';
import {
  answer,
  chunked,
  CHUNKED_HEAD,
  listen,
  listenerCounts,
  mountOf,
  post,
  postText,
  type TestListenerOptions,
} from './harness.ts';

const maxBytes = 1000;
const MEBIBYTE = 1_048_576;

interface Setup {
  readonly raw: RawSocket;
  readonly results: string[];
  readonly requests: IncomingMessage[];
  readonly faults: unknown[];
  readonly limiter: RawSocketLimiter;
}

/** Gives the body back; says what became of it. */
async function echo(
  request: IncomingMessage,
  response: ServerResponse,
  mostBytes = maxBytes,
): Promise<string> {
  const body = await readBody(request, mostBytes);
  if (Buffer.isBuffer(body)) answer(response, 200, body.toString());
  else if (body === 'too-large') answer(response, 413);
  return Buffer.isBuffer(body) ? body.toString() : body;
}

/** A mount that gives every body back that it takes. */
async function setUp(options: TestListenerOptions = {}, mostBytes = maxBytes): Promise<Setup> {
  const results: string[] = [];
  const requests: IncomingMessage[] = [];
  const mount = mountOf(async (request, response) => {
    requests.push(request);
    results.push(await echo(request, response, mostBytes));
  });
  const { connect, faults, limiter } = await listen({ mounts: [mount], ...options });
  return { raw: await connect(), results, requests, faults, limiter };
}

async function stillWorks(raw: RawSocket): Promise<void> {
  void raw.write(postText('again'));
  expect(await raw.response()).toMatchObject({ status: 200, body: 'again' });
}

/** Whoever has heard the end and goes, is gone at once: nobody waits for the deadline. */
async function isOver(raw: RawSocket, limiter: RawSocketLimiter): Promise<void> {
  raw.halfClose();
  await eventually(() => expect(limiter.size).toBe(0));
}

describe('a body', () => {
  it.each([
    ['of no bytes', postText('')],
    ['of one byte', postText('a')],
    ['of as many bytes as allowed', postText('a'.repeat(maxBytes))],
    ['in one chunk', CHUNKED_HEAD + chunked('a'.repeat(maxBytes), maxBytes)],
    ['in chunks of one byte', CHUNKED_HEAD + chunked('a'.repeat(maxBytes), 1)],
  ])('is read whole: %s', async (_name, bytes) => {
    const { raw, requests } = await setUp();
    void raw.write(bytes);
    expect((await raw.response()).status).toBe(200);
    await stillWorks(raw);
    expect(listenerCounts(requests[0] as IncomingMessage)).toMatchObject({ error: 0 });
  });

  it('may come a byte at a time, in several requests one behind the other', async () => {
    const { raw } = await setUp();
    for (const byte of postText('abc') + CHUNKED_HEAD + chunked('defg', 3)) await raw.write(byte);
    expect((await raw.response()).body).toBe('abc');
    expect((await raw.response()).body).toBe('defg');
  });

  it.each([
    ['announced', postText('a'.repeat(maxBytes + 1))],
    ['in chunks', CHUNKED_HEAD + chunked('a'.repeat(maxBytes + 1), 100)],
    ['announced, with a mebibyte of rest', postText('a'.repeat(MEBIBYTE))],
    ['in chunks, with most of a mebibyte of rest', CHUNKED_HEAD + chunked('a'.repeat(MEBIBYTE), 5000)],
  ])('one byte too long is refused, and its connection survives: %s', async (_name, bytes) => {
    const { raw, results } = await setUp();
    void raw.write(bytes);
    const refused = await raw.response();
    expect([refused.status, refused.headers['connection'] === 'close']).toEqual([413, false]);
    expect(results).toEqual(['too-large']);
    await stillWorks(raw);
  });

  it('too long by what it announces is refused before it comes', async () => {
    const { raw } = await setUp();
    void raw.write(post(`Content-Length: ${maxBytes + 1}\r\n`));
    expect((await raw.response()).status).toBe(413);
    void raw.write('a'.repeat(maxBytes + 1));
    await stillWorks(raw);
  });

  it('in chunks is refused as soon as it is too long', async () => {
    const { raw } = await setUp();
    void raw.write(`${CHUNKED_HEAD}3e9\r\n${'a'.repeat(1001)}\r\n`);
    expect((await raw.response()).status).toBe(413);
    void raw.write(`5\r\naaaaa\r\n0\r\n\r\n`);
    await stillWorks(raw);
  });

  it('that nobody reads does not cost the connection either', async () => {
    const mount = mountOf((_request, response) => answer(response, 429));
    const { connect } = await listen({ mounts: [mount] });
    const raw = await connect();
    for (const bytes of [postText('a'.repeat(500_000)), CHUNKED_HEAD + chunked('a'.repeat(500_000), 9999)]) {
      void raw.write(bytes);
      expect((await raw.response()).status).toBe(429);
    }
  });

  it('that is half read by other means is thrown away when the answer is out', async () => {
    const mount = mountOf((request, response) => {
      request.once('readable', () => {
        request.read(10);
        answer(response, 400);
      });
    });
    const { connect } = await listen({ mounts: [mount] });
    const raw = await connect();
    for (let i = 0; i < 3; i++) {
      void raw.write(postText('a'.repeat(300_000)));
      expect((await raw.response()).status).toBe(400);
    }
  });
});

describe('a body of which more than a mebibyte is left', () => {
  it('ends the connection after its answer, which says so, when that was announced', async () => {
    const { raw, limiter } = await setUp({ clock: new FakeClock() });
    void raw.write(post(`Content-Length: ${20 * MEBIBYTE}\r\n`));
    const written = raw.write('a'.repeat(20 * MEBIBYTE));
    const refused = await raw.response();
    expect([refused.status, refused.headers['connection']]).toEqual([413, 'close']);
    expect(await raw.ended()).toBe('fin');
    await written;
    await isOver(raw, limiter);
  });

  it('ends the connection by and by when it comes in chunks, and the answer is not lost', async () => {
    const { raw, limiter } = await setUp({ clock: new FakeClock() });
    raw.pause();
    // More than two kernels hold: it is all taken before the client looks for its answer.
    await raw.write(CHUNKED_HEAD + chunked('a'.repeat(20 * MEBIBYTE), 65_536) + postText('never seen'));
    raw.resume();
    expect((await raw.response()).status).toBe(413);
    expect(await raw.ended()).toBe('fin');
    expect(raw.unread()).toHaveLength(0);
    await isOver(raw, limiter);
  });

  it('has CLOSE_DEADLINE_MS to hear the end', async () => {
    const clock = new FakeClock();
    const { raw, limiter } = await setUp({ clock, limits: { closeDeadlineMs: 2000 } });
    void raw.write(post(`Content-Length: ${2 * MEBIBYTE}\r\n`));
    expect(await raw.ended()).toBe('fin');
    await raw.write('more');
    clock.advance(1999);
    expect([limiter.size, clock.pendingTimers]).toEqual([1, 1]);
    clock.advance(1);
    await eventually(() => expect([limiter.size, clock.pendingTimers]).toEqual([0, 0]));
  });
});

describe('a body in absurdly many chunks', () => {
  /** The mean of 256 bytes counts beyond the first 1024 chunks. */
  it.each([
    [200, 1024],
    [413, 1035],
  ])('is %d when it is %d of one byte', async (status, count) => {
    const { raw } = await setUp({}, 16_384);
    void raw.write(CHUNKED_HEAD + chunked('a'.repeat(count), 1));
    expect((await raw.response()).status).toBe(status);
  });

  it.each([1, 2, 1033, 2000, 10_000, 60_000])(
    'is refused, and the connection ends after the answer, with %d more behind',
    async (count) => {
      const { raw, results, limiter } = await setUp({ clock: new FakeClock() }, 16_384);
      const bytes = CHUNKED_HEAD + chunked('a'.repeat(1034 + count), 1) + postText('never seen');
      const written = raw.write(bytes + 'a'.repeat(5 * MEBIBYTE));
      const refused = await raw.response();
      expect([refused.status, refused.headers['connection']]).toEqual([413, 'close']);
      expect(await raw.ended()).toBe('fin');
      expect(results).toEqual(['too-large']);
      expect(raw.unread()).toHaveLength(0);
      await written;
      await isOver(raw, limiter);
    },
  );

  it('ends the connection also when the answer was out before', async () => {
    const { raw, limiter } = await setUp({ clock: new FakeClock() });
    void raw.write(`${CHUNKED_HEAD}3e9\r\n${'a'.repeat(1001)}\r\n`);
    expect((await raw.response()).status).toBe(413);
    const written = raw.write(chunked('a'.repeat(10_000), 1) + 'a'.repeat(5 * MEBIBYTE));
    expect(await raw.ended()).toBe('fin');
    expect(raw.unread()).toHaveLength(0);
    await written;
    await isOver(raw, limiter);
  });

  it('leaves the parser fit for the next connection', async () => {
    const { raw } = await setUp();
    const { connect } = await listen({
      mounts: [mountOf(async (request, response) => void (await echo(request, response)))],
    });
    void raw.write(CHUNKED_HEAD + chunked('a'.repeat(10_000), 1));
    await raw.ended();
    raw.destroy();
    for (let i = 0; i < 5; i++) await stillWorks(await connect());
  });

  it('is not handled piece by piece for long', async () => {
    let pieces = 0;
    const mount = mountOf((request) => void request.on('data', () => pieces++));
    const { connect } = await listen({ mounts: [mount] });
    const raw = await connect();
    // More than two kernels hold: when it is all taken, the chunks have been seen.
    await raw.write(CHUNKED_HEAD + chunked('a'.repeat(100_000), 1) + 'a'.repeat(20 * MEBIBYTE));
    expect(pieces).toBeGreaterThan(1000);
    expect(pieces).toBeLessThan(1100);
  });
});

describe('a body that does not come', () => {
  it('ends with the time for a request', async () => {
    const { raw, results } = await setUp({ limits: { handshakeMs: 1000, requestMs: 1200 } });
    const startedAt = performance.now();
    void raw.write(`${post('Content-Length: 10\r\n')}abc`);
    await raw.ended();
    expect(performance.now() - startedAt).toBeGreaterThan(1150);
    await eventually(() => expect(results).toEqual(['aborted']));
  });

  it('ends with the time for a request also when its answer is out', async () => {
    const { raw } = await setUp({ limits: { handshakeMs: 1000, requestMs: 1200 } });
    void raw.write(post(`Content-Length: ${maxBytes + 1}\r\n`));
    expect((await raw.response()).status).toBe(413);
    await raw.ended();
  });

  it.each([
    ['resets', (raw: RawSocket) => raw.reset()],
    ['ends the stream', (raw: RawSocket) => raw.halfClose()],
    ['goes away', (raw: RawSocket) => raw.destroy()],
  ])('leaves nothing behind when its client %s', async (_name, leave) => {
    const { raw, results, requests, faults } = await setUp();
    await raw.write(`${post('Content-Length: 10\r\n')}abc`);
    await eventually(() => expect(requests).toHaveLength(1));
    leave(raw);
    await eventually(() => expect(results).toEqual(['aborted']));
    const request = requests[0] as IncomingMessage;
    expect(listenerCounts(request)).toEqual({ data: 0, error: 0, close: 0 });
    expect(await readBody(request, maxBytes)).toBe('aborted');
    expect(faults).toEqual([]);
  });
});
