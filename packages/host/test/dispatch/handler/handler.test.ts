import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { json, Rig, text } from '../rig.ts';

/** A body that is made as it is asked for. */
function streamOf(pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void | Promise<void>) {
  return new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
}

describe('a handler', () => {
  it('gets a request of the Fetch API, and its connection', async () => {
    const rig = new Rig({
      handler: async (request, { connectionId }) =>
        Response.json({
          method: request.method,
          url: request.url,
          headers: Object.fromEntries(request.headers),
          body: await request.text(),
          connectionId,
        }),
    });
    const answer = await rig.fetch(
      { method: 'POST', path: '/a%20b', query: 'x=%20', headers: { 'x-a': ['1', '2'], connection: 'close' } },
      'upload',
    );
    expect(answer.head).toEqual({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(await json(answer)).toEqual({
      method: 'POST',
      url: 'http://localhost/a%20b?x=%20',
      headers: { 'x-a': '1, 2', 'accept-encoding': 'identity', 'x-openchamber-relay-connection': 'conn-1' },
      body: 'upload',
      connectionId: 'conn-1',
    });
  });

  it('gets no body with GET and HEAD, and none of its own goes out with HEAD', async () => {
    for (const method of ['GET', 'HEAD']) {
      const rig = new Rig({
        handler: (request) => new Response(request.body === null ? 'none' : 'some', { status: 201 }),
      });
      const request = rig.open({ method, path: '/' });
      const answer = await request.answer();
      expect(answer.head.status).toBe(201);
      expect(request.body.isDiscarded).toBe(true);
      expect(await text(answer)).toBe(method === 'GET' ? 'none' : '');
    }
  });

  it('streams both ways', async () => {
    const rig = new Rig({
      handler: (request) => new Response(request.body, { headers: { 'content-type': 'text/event-stream' } }),
    });
    const request = rig.open({ method: 'POST', path: '/' });
    const answer = await request.answer();
    expect(answer.urgency).toBe('prompt');
    for (const letter of 'abc') {
      request.body.send(letter);
      expect(String(await answer.body.take())).toBe(letter);
    }
    request.body.end();
    expect(await answer.body.take()).toBeUndefined();
  });

  it('is asked for no more than the Client takes', async () => {
    let made = 0;
    const body = streamOf((controller) => {
      made += 64 * 1024;
      controller.enqueue(new Uint8Array(64 * 1024));
    });
    const rig = new Rig({ handler: () => new Response(body) });
    const request = rig.open({ path: '/', windowBytes: 100_000 });
    const answer = await request.answer();
    for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
    expect(made).toBeLessThan(1024 * 1024);
    expect(answer.body.peakBytes).toBeLessThanOrEqual(100_000 + 64 * 1024);
    request.giveUp();
  });

  it('sets several cookies, any status, and no length', async () => {
    const headers = new Headers({ 'content-length': '2', connection: 'x-hop', 'x-hop': '1' });
    headers.append('set-cookie', 'a=1');
    headers.append('set-cookie', 'b=2');
    const rig = new Rig({ handler: () => new Response('no', { status: 418, headers }) });
    const answer = await rig.fetch({ path: '/' });
    expect(answer.head).toEqual({
      status: 418,
      headers: { 'content-type': 'text/plain;charset=UTF-8', 'set-cookie': ['a=1', 'b=2'] },
    });
    const empty = await new Rig({ handler: () => new Response(null, { status: 204 }) }).fetch({ path: '/' });
    expect(empty.head).toEqual({ status: 204, headers: {} });
  });

  it('may compress', async () => {
    const encoded = () => new Response(gzipSync('plain'), { headers: { 'content-encoding': 'gzip' } });
    const answer = await new Rig({ handler: encoded }).fetch({ path: '/' });
    expect(answer.head.headers).toEqual({});
    expect(await text(answer)).toBe('plain');
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('secret hunter2');
      },
      500,
      'handler_failed',
    ],
    ['rejects', () => Promise.reject(new Error('secret hunter2')), 500, 'handler_failed'],
    ['gives what is no answer', () => ({}) as unknown as Response, 500, 'handler_failed'],
    ['gives a network error', () => Response.error(), 502, 'bad_gateway'],
    [
      'gives a body that was read already',
      async () => {
        const response = new Response('x');
        await response.text();
        return response;
      },
      500,
      'handler_failed',
    ],
  ])('that %s has failed', async (_how, handler: () => Response | Promise<Response>, status, error) => {
    const rig = new Rig({ handler });
    const answer = await rig.fetch({ method: 'POST', path: '/x' }, 'upload');
    expect(answer.head.status).toBe(status);
    const body = await json(answer);
    expect(body).toMatchObject({ error });
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(await rig.failures.take()).toEqual({ path: '/x', error });
  });

  it.each(['TRACE', 'TRACK'])('is not asked for what the Fetch API does not know: %s', async (method) => {
    const rig = new Rig({ handler: () => new Response('never') });
    expect((await rig.fetch({ method, path: '/' })).head.status).toBe(405);
  });

  it('that breaks off in the middle costs the stream', async () => {
    let count = 0;
    const body = streamOf((controller) => {
      count += 1;
      if (count > 1) throw new Error('broken');
      controller.enqueue(Buffer.from('some'));
    });
    const rig = new Rig({ handler: () => new Response(body) });
    const request = rig.open({ path: '/' });
    expect(await request.aborted()).toBe('the origin broke off its answer');
    expect(await rig.failures.take()).toEqual({ path: '/', error: 'origin_broke_off' });
  });

  it('hears of a Client that gives up, while it thinks and while it answers', async () => {
    const thinking = Promise.withResolvers<AbortSignal>();
    const rig = new Rig({
      handler: async (request) => {
        thinking.resolve(request.signal);
        await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
        return new Response('too late');
      },
    });
    const request = rig.open({ path: '/' });
    expect((await thinking.promise).aborted).toBe(false);
    request.giveUp();
    expect((await thinking.promise).aborted).toBe(true);

    const cancelled = Promise.withResolvers<unknown>();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from('some')),
      cancel: cancelled.resolve,
    });
    const answering = new Rig({ handler: () => new Response(body) });
    const second = answering.open({ path: '/' });
    await (await second.answer()).body.take();
    second.giveUp();
    await cancelled.promise;
    expect([rig.failures.size, answering.failures.size]).toEqual([0, 0]);
  });

  it('has the rest of an upload thrown away once it has answered', async () => {
    const rig = new Rig({ handler: () => new Response('enough', { status: 413 }) });
    const request = rig.open({ method: 'POST', path: '/' });
    request.body.send('some');
    expect(await text(await request.answer())).toBe('enough');
    await request.body.discarded;
  });

  it('is no place for WebSockets', async () => {
    const rig = new Rig({ handler: () => new Response('x') });
    expect(await rig.openSocket({ path: '/' }).aborted()).toBe('websockets_not_served');
    expect(await rig.failures.take()).toEqual({ path: '/', error: 'websockets_not_served' });
  });
});
