import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createGzip } from 'node:zlib';
import { patternPieces, patternSha256, startTestOrigin, type TestOrigin } from '@openchambery/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { json, Rig } from '../rig.ts';
import type { ScriptedAnswer } from '../scripted-request.ts';

const TOTAL = 64 * 1024 * 1024;
const WINDOW = 256 * 1024;

/** A chunk of the origin's, at most, on top of a window. */
const ONE_TOO_MANY = 128 * 1024;

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}

/** The hash of a body that is taken piece by piece, with pauses in between; and how many bytes it had. */
async function takeSlowly({ body }: ScriptedAnswer): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for (let piece = await body.take(); piece !== undefined; piece = await body.take()) {
    hash.update(piece);
    bytes += piece.length;
    await turns(3);
  }
  return { bytes, sha256: hash.digest('hex') };
}

describe('64 MiB', () => {
  let origin: TestOrigin;
  let rig: Rig;

  beforeEach(async () => {
    origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    rig = new Rig({ origin: origin.url });
  });

  it.each(['', 'chunked'])('down to a slow reader wait at the origin (%s)', async (query) => {
    const request = rig.open({ path: `/bytes/${TOTAL}`, query, windowBytes: WINDOW });
    request.body.end();
    const answer = await request.answer();
    await turns(200);
    expect(answer.body.waitingBytes).toBeGreaterThan(0);
    expect(await takeSlowly(answer)).toEqual({ bytes: TOTAL, sha256: patternSha256(TOTAL) });
    expect(answer.body.peakBytes).toBeLessThan(WINDOW + ONE_TOO_MANY);
  });

  it('up to an origin arrive whole, and are taken from the tunnel one by one', async () => {
    const request = rig.open({ method: 'PUT', path: '/sink' });
    for (const piece of patternPieces(TOTAL)) {
      request.body.send(piece);
      // What the dispatcher has taken and the origin has not is bounded by what the kernel takes.
      await turns(1);
    }
    request.body.end();
    expect(await json(await request.answer())).toEqual({ bytes: TOTAL, sha256: patternSha256(TOTAL) });
  });

  it('up to an origin that reads nothing stay in the tunnel', async () => {
    const request = rig.open({ method: 'PUT', path: '/deaf' });
    for (const piece of patternPieces(TOTAL)) request.body.send(piece);
    request.body.end();
    const held = await origin.nextHeld();
    await turns(500);
    // Buffers of the kernel on both sides.
    expect(request.body.takenBytes).toBeLessThan(TOTAL / 2);
    held.incoming.resume();
    await new Promise((resolve) => held.incoming.once('end', resolve));
    held.answer(200, 'all');
    expect((await request.answer()).head.status).toBe(200);
    expect(request.body.takenBytes).toBe(TOTAL);
  });

  it('up to an origin that has answered and reads nothing are thrown away', async () => {
    const request = rig.open({ method: 'PUT', path: '/deaf' });
    for (const piece of patternPieces(TOTAL)) request.body.send(piece);
    const held = await origin.nextHeld();
    held.answer(413, 'too large');
    const answer = await request.answer();
    expect(String(await answer.body.all())).toBe('too large');
    await request.body.discarded;
    expect(request.body.takenBytes).toBeLessThan(TOTAL / 2);
  });

  it('back and forth at once arrive whole', async () => {
    const request = rig.open({ method: 'POST', path: '/echo-stream', windowBytes: WINDOW });
    for (const piece of patternPieces(TOTAL)) request.body.send(piece);
    request.body.end();
    const answer = await request.answer();
    expect(await takeSlowly(answer)).toEqual({ bytes: TOTAL, sha256: patternSha256(TOTAL) });
    expect(answer.body.peakBytes).toBeLessThan(WINDOW + ONE_TOO_MANY);
  });
});

describe('a compressed answer', () => {
  async function start(server: Server): Promise<Rig> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return new Rig({ origin: `http://127.0.0.1:${(server.address() as { port: number }).port}` });
  }

  it('of 64 MiB of nothing waits where it is small', async () => {
    const rig = await start(
      createServer((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        const gzip = createGzip();
        gzip.pipe(response);
        gzip.end(Buffer.alloc(TOTAL));
      }),
    );
    const request = rig.open({ path: '/', windowBytes: WINDOW });
    request.body.end();
    const answer = await request.answer();
    await turns(200);
    expect((await takeSlowly(answer)).bytes).toBe(TOTAL);
    expect(answer.body.peakBytes).toBeLessThan(WINDOW + ONE_TOO_MANY);
  });

  it('of events arrives event by event, its head before the first', async () => {
    const gzip = createGzip();
    const rig = await start(
      createServer((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' });
        response.flushHeaders();
        gzip.pipe(response);
      }),
    );
    const answer = await rig.fetch({ path: '/' });
    expect(answer.urgency).toBe('prompt');
    for (let count = 0; count < 5; count += 1) {
      gzip.write(`data: ${count}\n\n`);
      gzip.flush();
      expect(String(await answer.body.take())).toBe(`data: ${count}\n\n`);
    }
    gzip.end();
    expect(await answer.body.take()).toBeUndefined();
  });

  it('that nobody waits for any more is given up at the origin', async () => {
    const closed = Promise.withResolvers<void>();
    const rig = await start(
      createServer((_request, response) => {
        response.on('close', closed.resolve);
        response.writeHead(200, { 'content-encoding': 'gzip' });
        const gzip = createGzip();
        gzip.pipe(response);
        gzip.write('some');
        gzip.flush();
      }),
    );
    const request = rig.open({ path: '/' });
    expect(String(await (await request.answer()).body.take())).toBe('some');
    request.giveUp();
    await closed.promise;
    expect(rig.failures.size).toBe(0);
  });
});
