import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startTestOrigin, type TestOrigin } from '@openchambery/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { json, Rig, text } from '../rig.ts';

describe('a request to an origin', () => {
  let origin: TestOrigin;
  let rig: Rig;

  beforeEach(async () => {
    origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    rig = new Rig({ origin: origin.url });
  });

  it('arrives as the Client wrote it, in the name of its connection', async () => {
    const answer = await rig.fetch({
      path: '/echo/a%20b%2fc',
      query: 'x=1&y=%23&x=2',
      headers: { 'x-own': 'kept', cookie: ['a=1', 'b=2'], accept: ['text/html', '*/*'] },
    });
    expect(answer.head.status).toBe(200);
    const seen = await json(answer);
    expect(seen).toMatchObject({ method: 'GET', url: '/echo/a%20b%2fc?x=1&y=%23&x=2', body: '' });
    expect(seen['headers']).toEqual({
      'x-own': 'kept',
      cookie: 'a=1; b=2',
      accept: 'text/html, */*',
      'accept-encoding': 'identity',
      'x-openchamber-relay-connection': 'conn-1',
      host: new URL(origin.url).host,
      connection: 'keep-alive',
    });
  });

  it('has no body when the Client sends none, and says so where a body has a meaning', async () => {
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST', 'PUT', 'PATCH']) {
      await rig.fetch({ method, path: '/echo' });
      const { headers } = origin.requests.at(-1) ?? {};
      expect(headers).not.toHaveProperty('transfer-encoding');
      const isMeaningful = method === 'POST' || method === 'PUT' || method === 'PATCH';
      expect(headers?.['content-length']).toBe(isMeaningful ? '0' : undefined);
    }
  });

  it('has a length when its body is there at once, whatever the Client said', async () => {
    const answer = await rig.fetch(
      { method: 'POST', path: '/echo', headers: { 'content-length': '3' } },
      'seven b',
    );
    expect(await json(answer)).toMatchObject({ body: 'seven b', headers: { 'content-length': '7' } });
  });

  it('takes a body along with methods that seldom have one', async () => {
    for (const method of ['GET', 'DELETE', 'PROPFIND']) {
      expect(await json(await rig.fetch({ method, path: '/echo' }, 'whole'))).toMatchObject({
        body: 'whole',
      });
      const request = rig.open({ method, path: '/echo-stream' });
      request.body.send('first ');
      const answer = await request.answer();
      expect(String(await answer.body.take())).toBe('first ');
      request.body.end('second');
      expect(String(await answer.body.all())).toBe('second');
      expect(origin.requests.at(-1)?.headers['transfer-encoding']).toBe('chunked');
    }
  });

  it('streams both ways at once', async () => {
    const request = rig.open({ method: 'POST', path: '/echo-stream' });
    request.body.send('a');
    const answer = await request.answer();
    for (const letter of 'bcdef') {
      await answer.body.take();
      request.body.send(letter);
    }
    expect(String(await answer.body.take())).toBe('f');
    request.body.end();
    expect(await answer.body.take()).toBeUndefined();
  });

  it('begins an upload whose first byte is long in coming', async () => {
    const request = rig.open({ method: 'POST', path: '/echo-stream' });
    const answer = await request.answer();
    request.body.end('late');
    expect(await text(answer)).toBe('late');
  });

  it('does not wait for the end of a GET that has nothing to say', async () => {
    const request = rig.open({ path: '/echo' });
    expect((await request.answer()).head.status).toBe(200);
    expect(request.body.isDiscarded).toBe(true);
  });

  it('uses a connection again', async () => {
    for (let count = 0; count < 5; count += 1) {
      await text(await rig.fetch({ path: '/echo' }, 'x'));
      // An answer may be with its Client before the connection that brought it is free.
      await nextTurn();
    }
    expect(new Set(origin.requests.map(({ remotePort }) => remotePort)).size).toBe(1);
  });

  it('asks for nothing twice when it is not encoded in ASCII', async () => {
    await rig.fetch({ path: '/echo/äö\u{1F600}', query: 'q=ü' });
    expect(origin.requests.at(-1)?.url).toBe('/echo/%C3%A4%C3%B6%F0%9F%98%80?q=%C3%BC');
  });
});

describe('the answer of an origin', () => {
  let origin: TestOrigin;
  let rig: Rig;

  beforeEach(async () => {
    origin = await startTestOrigin();
    onTestFinished(() => origin.close());
    rig = new Rig({ origin: origin.url });
  });

  it('keeps what is for the Client', async () => {
    const { head } = await rig.fetch({ path: '/hop-by-hop' });
    expect(head.headers).toEqual({
      date: expect.any(String),
      'x-end-to-end': 'kept',
      'x-several': 'one, two',
    });
    const cookies = await rig.fetch({ path: '/cookies' });
    expect(cookies.head.headers['set-cookie']).toEqual([
      'a=1; Path=/',
      'b=2; Expires=Wed, 09 Jun 2100 10:18:14 GMT',
      'c=3; HttpOnly',
    ]);
  });

  it.each([200, 201, 204, 205, 304, 404, 418, 503, 599])('has its status, %i', async (status) => {
    const answer = await rig.fetch({ path: `/status/${status}` });
    expect(answer.head.status).toBe(status);
    expect(await text(answer)).toBe([204, 205, 304].includes(status) ? '' : `status ${status}`);
  });

  it('has no body after HEAD', async () => {
    const answer = await rig.fetch({ method: 'HEAD', path: '/gzip' });
    expect(answer.head.headers).not.toHaveProperty('content-encoding');
    expect(await text(answer)).toBe('');
  });

  it('is unpacked', async () => {
    const answer = await rig.fetch({ path: '/gzip' });
    expect(answer.head.headers).toEqual({
      'content-type': 'text/plain',
      vary: 'accept-encoding',
      date: expect.any(String),
    });
    expect(await text(answer)).toBe('compressed '.repeat(1000));
  });

  it('leads to a path where it led to the origin itself', async () => {
    const own = await rig.fetch({ path: '/redirect/1', query: `to=${origin.url}/echo?x=1` });
    expect(own.head).toMatchObject({ status: 302, headers: { location: '/echo?x=1' } });
    const foreign = await rig.fetch({ path: '/redirect/1', query: 'to=https://example.com/' });
    expect(foreign.head.headers['location']).toBe('https://example.com/');
    const odd = await rig.fetch({ path: '/redirect/1', query: `to=${origin.url}//example.com/` });
    expect(odd.head.headers['location']).toBe(`${origin.url}//example.com/`);
  });

  it('arrives event by event', async () => {
    const request = rig.open({ path: '/sse' });
    request.body.end();
    const events = await origin.nextEventStream();
    const answer = await request.answer();
    expect(answer.urgency).toBe('prompt');
    for (let count = 0; count < 10; count += 1) {
      await events.push(`token ${count}`);
      expect(String(await answer.body.take())).toBe(`data: token ${count}\n\n`);
    }
    events.end();
    expect(await answer.body.take()).toBeUndefined();
  });

  it('may be early: what is left of the upload is wanted no more', async () => {
    const request = rig.open({ method: 'POST', path: '/early' });
    request.body.send(Buffer.alloc(64 * 1024));
    const answer = await request.answer();
    expect(answer.head.status).toBe(413);
    expect(await text(answer)).toBe('too large');
    await request.body.discarded;
    expect(rig.failures.size).toBe(0);
  });

  it('is taken past interim ones, and with trailers left out', async () => {
    const server = createServer((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
      response.writeProcessing();
      response.writeHead(200, { trailer: 'x-sum' });
      response.write('body');
      response.addTrailers({ 'x-sum': '4' });
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const answer = await new Rig({ origin: `http://127.0.0.1:${port}` }).fetch({ path: '/' });
    expect(answer.head).toEqual({ status: 200, headers: { date: expect.any(String) } });
    expect(await text(answer)).toBe('body');
  });
});
