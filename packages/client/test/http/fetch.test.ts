import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PAIRING_SECRET_HEADER } from '@openchambery/tunnel';
import { describe, expect, it } from 'vitest';
import { scriptClient, secret, settle } from '../support/scripted-client.ts';
import type { ScriptedStream } from '../support/scripted-stream.ts';
import { soon } from '../support/soon.ts';

interface Asked {
  readonly stream: ScriptedStream;
  readonly answer: Promise<Response>;
}

/** Fetches, up to where the request is with the tunnel. */
async function ask(input: string | URL | Request, init?: RequestInit): Promise<Asked> {
  const { client, open } = scriptClient({ secret, baseUrl: 'http://app.test' });
  const tunnel = open();
  const answer = client.fetch(input, init);
  answer.catch(() => undefined);
  await settle();
  return { stream: tunnel.stream(), answer };
}

/** What `fetch` says to arguments that are wrong: nothing may be sent. */
async function refusal(input: string | URL | Request, init?: RequestInit): Promise<unknown> {
  const { client, open } = scriptClient({ baseUrl: 'http://app.test' });
  const tunnel = open();
  const error: unknown = await client.fetch(input, init).catch((reason: unknown) => reason);
  expect(tunnel.streams).toHaveLength(0);
  return error;
}

describe('the request', () => {
  it('has path, query, headers and the secret, and ends at once without a body', async () => {
    const { stream } = await ask('/a%20b/../c?x=1&y#part', { headers: { 'X-One': '1' } });
    expect(stream.head).toEqual({
      method: 'GET',
      path: '/c',
      query: 'x=1&y',
      headers: { accept: '*/*', 'x-one': '1', [PAIRING_SECRET_HEADER]: secret },
    });
    expect(stream.isEnded).toBe(true);
    expect(stream.sent).toEqual([]);
  });

  it('takes absolute URLs within the base, and a Request', async () => {
    const request = new Request('http://app.test/r', { method: 'PUT', body: 'text', headers: { a: 'b' } });
    const { stream } = await ask(request);
    expect(stream.head).toMatchObject({ method: 'PUT', path: '/r', headers: { a: 'b' } });
    expect(stream.sentText).toBe('text');
    const other = await ask(new URL('http://app.test/u'));
    expect(other.stream.head.path).toBe('/u');
  });

  it('lets init win over the Request', async () => {
    const request = new Request('http://app.test/r', { method: 'PUT', body: 'text', headers: { a: 'b' } });
    const { stream } = await ask(request, { method: 'post', body: 'other', headers: { c: 'd' } });
    expect(stream.head).toMatchObject({ method: 'POST', headers: { c: 'd' } });
    expect(stream.head.headers).not.toHaveProperty('a');
    expect(stream.sentText).toBe('other');
  });

  it.each([
    ['get', 'GET'],
    ['Options', 'OPTIONS'],
    ['delete', 'DELETE'],
    ['patch', 'patch'],
    ['PROPFIND', 'PROPFIND'],
  ])('sends the method %s as %s', async (method, sent) => {
    const { stream } = await ask('/', { method });
    expect(stream.head.method).toBe(sent);
  });

  it.each(['CONNECT', 'trace', 'Track', 'a b', ''])('refuses the method %j', async (method) => {
    expect(await refusal('/', { method })).toBeInstanceOf(TypeError);
  });

  it.each([
    'http://other.test/',
    'https://app.test/',
    'http://app.test:81/',
    'http://user@app.test/',
    '//other.test/x',
    'data:text/plain,x',
    'http://',
  ])('refuses the URL %j', async (url) => {
    expect(await refusal(url)).toBeInstanceOf(TypeError);
  });

  it('refuses a body for GET and HEAD, headers that are none, an unknown redirect mode', async () => {
    expect(await refusal('/', { body: 'x' })).toBeInstanceOf(TypeError);
    expect(await refusal('/', { method: 'HEAD', body: '' })).toBeInstanceOf(TypeError);
    expect(await refusal('/', { headers: { 'a b': 'c' } })).toBeInstanceOf(TypeError);
    expect(await refusal('/', { headers: { a: 'b\nc' } })).toBeInstanceOf(TypeError);
    expect(await refusal('/', { redirect: 'often' as 'follow' })).toBeInstanceOf(TypeError);
  });

  it('refuses a body that was read', async () => {
    const request = new Request('http://app.test/', { method: 'POST', body: 'x' });
    await request.text();
    expect(await refusal(request)).toBeInstanceOf(TypeError);
    const stream = new Response('x').body;
    await stream?.getReader().read();
    expect(await refusal('/', { method: 'POST', body: stream })).toBeInstanceOf(TypeError);
  });

  it('takes and ignores what a tunnel has no use for', async () => {
    const { stream } = await ask('/', {
      cache: 'no-store',
      credentials: 'include',
      keepalive: true,
      mode: 'cors',
    });
    expect(Object.keys(stream.head.headers)).toEqual(['accept', PAIRING_SECRET_HEADER]);
  });

  it('puts the secret in the place of whatever a program says there', async () => {
    const { stream } = await ask('/', { headers: { 'X-OpenChamber-Pairing-Secret': 'forged' } });
    expect(stream.head.headers[PAIRING_SECRET_HEADER]).toBe(secret);
  });

  it('says that a head is too large for a frame', async () => {
    const { client, open } = scriptClient();
    open().refusal = new RangeError('too large');
    await expect(client.fetch('/')).rejects.toThrow(TypeError);
  });
});

describe('the answer', () => {
  it('is a Response with status, headers, url and body', async () => {
    const { stream, answer } = await ask('/path?q#part');
    stream
      .respond(418, { 'x-a': '1, 2', 'set-cookie': ['a=1', 'b=2'] })
      .push('hello ')
      .push('world')
      .end();
    const response = await answer;
    expect(response).toMatchObject({ status: 418, ok: false, redirected: false, type: 'basic' });
    expect(response.url).toBe('http://app.test/path?q');
    expect(response.headers.get('x-a')).toBe('1, 2');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    const copy = response.clone();
    expect(copy.url).toBe(response.url);
    expect(await copy.text()).toBe('hello world');
    expect(await response.text()).toBe('hello world');
  });

  it.each([204, 205, 304])('has no body with status %d', async (status) => {
    const { stream, answer } = await ask('/');
    stream.respond(status);
    expect((await answer).body).toBeNull();
    expect(stream.isDiscarded).toBe(true);
  });

  it('has no body to HEAD', async () => {
    const { stream, answer } = await ask('/', { method: 'HEAD' });
    stream.respond(200, { 'x-length': '5' });
    expect((await answer).body).toBeNull();
    expect(stream.isDiscarded).toBe(true);
  });

  it.each([200, 299, 300, 306, 399, 400, 499, 500, 599])('may have status %d', async (status) => {
    const { stream, answer } = await ask('/');
    stream.respond(status);
    expect((await answer).status).toBe(status);
  });

  it('is read no faster than the program reads', async () => {
    const { stream, answer } = await ask('/');
    stream.respond(200).push('a').push('b').push('c').end();
    const reader = (await answer).body?.getReader();
    await settle();
    expect(stream.reads).toBe(0);
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('a');
    await settle();
    expect(stream.reads).toBe(1);
  });

  it('gives chunks that have their memory for themselves, so that a program may transfer it', async () => {
    const { stream, answer } = await ask('/');
    const plaintext = Buffer.from('head--one frameand another');
    // What came with others is copied; what came alone, behind at most six bytes, is not.
    stream.respond(200).give(plaintext.subarray(6, 15)).give(new Uint8Array(70_006).subarray(6)).end();
    const reader = (await answer).body?.getReader();
    for (const length of [9, 70_000]) {
      const { value } = (await reader?.read()) ?? {};
      if (value === undefined) throw new Error('two chunks were sent');
      expect(value.length).toBe(length);
      structuredClone(value, { transfer: [value.buffer] });
      expect(value.length).toBe(0);
    }
    expect(plaintext.toString()).toBe('head--one frameand another');
  });

  it('is given up when the program does', async () => {
    const { stream, answer } = await ask('/');
    stream.respond(200).push('a');
    await (await answer).body?.cancel();
    expect(stream.aborts).toHaveLength(1);
  });

  it('breaks with a RelayClientError when the Host gives up on it', async () => {
    const { stream, answer } = await ask('/');
    stream.respond(200).push('a');
    const response = await answer;
    stream.break('ERR_TUNNEL_STREAM_ABORTED', 'origin reset');
    await expect(response.text()).rejects.toMatchObject({
      code: 'ERR_RELAY_CLIENT_ABORTED_BY_HOST',
      reason: 'origin reset',
    });
  });

  it('is given up when nobody can read it any more', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { client, open } = scriptClient();
    const tunnel = open();
    const look = async (): Promise<number> => {
      const answer = client.fetch('/');
      await settle();
      tunnel.stream().respond(200).push('a');
      return (await answer).status;
    };
    expect(await look()).toBe(200);
    await soon(() => {
      collect();
      return tunnel.stream().aborts.length;
    }).toBe(1);
  });

  it.each([
    ['ERR_TUNNEL_STREAM_ABORTED', 'ERR_RELAY_CLIENT_ABORTED_BY_HOST'],
    ['ERR_TUNNEL_PROTOCOL', 'ERR_RELAY_CLIENT_ABORTED_BY_HOST'],
    ['ERR_TUNNEL_READER_STALLED', 'ERR_RELAY_CLIENT_READER_STALLED'],
  ] as const)('turns %s into %s', async (from, to) => {
    const { stream, answer } = await ask('/');
    stream.break(from);
    await expect(answer).rejects.toMatchObject({ code: to });
  });
});

describe('aborting', () => {
  const reason = new Error('not any more');

  it('before the call sends nothing', async () => {
    expect(await refusal('/', { signal: AbortSignal.abort(reason) })).toBe(reason);
    expect(await refusal(new Request('http://app.test/', { signal: AbortSignal.abort(reason) }))).toBe(
      reason,
    );
  });

  it('before the answer gives up on the stream', async () => {
    const controller = new AbortController();
    const { stream, answer } = await ask('/', { signal: controller.signal });
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect(stream.aborts).toHaveLength(1);
  });

  it('in the same turn as the answer comes wins', async () => {
    const controller = new AbortController();
    const { stream, answer } = await ask('/', { signal: controller.signal });
    stream.respond(200).end();
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  it('after the head breaks the body with the reason', async () => {
    const controller = new AbortController();
    const { stream, answer } = await ask('/', { signal: controller.signal });
    stream.respond(200).push('a');
    const text = (await answer).text();
    controller.abort(reason);
    await expect(text).rejects.toBe(reason);
    expect(stream.aborts).toHaveLength(1);
  });

  it('after the end does nothing, and the signal holds on to nothing', async () => {
    const { signal, listeners, abort } = countingSignal();
    const { stream, answer } = await ask('/', { signal });
    expect(listeners()).toBe(1);
    stream.respond(200).push('a').end();
    expect(await (await answer).text()).toBe('a');
    expect(listeners()).toBe(0);
    abort();
    expect(stream.aborts).toEqual([]);
  });

  it('holds on to nothing after a failure either', async () => {
    const { signal, listeners } = countingSignal();
    const { stream, answer } = await ask('/', { signal });
    stream.break('ERR_TUNNEL_STREAM_ABORTED');
    await expect(answer).rejects.toThrow('gave up');
    await settle();
    expect(listeners()).toBe(0);
  });
});

/** A signal that knows how many listen to it. */
function countingSignal(): { signal: AbortSignal; listeners: () => number; abort: () => void } {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const add = signal.addEventListener.bind(signal) as (...all: unknown[]) => void;
  const remove = signal.removeEventListener.bind(signal) as (...all: unknown[]) => void;
  Object.assign(signal, {
    addEventListener: (...all: unknown[]) => {
      count += 1;
      add(...all);
    },
    removeEventListener: (...all: unknown[]) => {
      count -= 1;
      remove(...all);
    },
  });
  return { signal, listeners: () => count, abort: () => controller.abort() };
}
