import { describe, expect, it } from 'vitest';
import { scriptClient, settle } from '../support/scripted-client.ts';
import type { ScriptedTunnel } from '../support/scripted-tunnel.ts';
import { soon } from '../support/soon.ts';

interface Hop {
  readonly tunnel: ScriptedTunnel;
  readonly answer: Promise<Response>;
  /** Answers the newest request. */
  readonly respond: (status: number, location?: string) => Promise<void>;
}

async function ask(path: string, init: RequestInit = {}): Promise<Hop> {
  const { client, open } = scriptClient({ baseUrl: 'http://app.test/in/' });
  const tunnel = open();
  const answer = client.fetch(path, init);
  answer.catch(() => undefined);
  await settle();
  const respond = async (status: number, location?: string): Promise<void> => {
    tunnel
      .stream()
      .respond(status, location === undefined ? {} : { location })
      .end();
    await settle();
  };
  return { tunnel, answer, respond };
}

describe('a redirect', () => {
  it.each(['error', 'follow'] as const)(
    'ends the upload that it answers, with redirect: %s',
    async (redirect) => {
      const cancelled = Promise.withResolvers<unknown>();
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(1)),
        cancel: (reason) => cancelled.resolve(reason),
      });
      const { tunnel, respond } = await ask('a', {
        method: 'POST',
        body,
        duplex: 'half',
        redirect,
      } as RequestInit);
      await respond(303, 'b');
      await cancelled.promise;
      expect(tunnel.stream(0).aborts).toHaveLength(1);
    },
  );

  it.each([
    [301, 'GET', 'GET'],
    [302, 'GET', 'GET'],
    [303, 'GET', 'GET'],
    [307, 'GET', 'GET'],
    [308, 'GET', 'GET'],
    [301, 'HEAD', 'HEAD'],
    [303, 'HEAD', 'HEAD'],
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
    [301, 'PUT', 'PUT'],
    [302, 'DELETE', 'DELETE'],
    [303, 'PUT', 'GET'],
    [303, 'DELETE', 'GET'],
  ])('of %d makes %s %s', async (status, method, next) => {
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const init = hasBody ? { method, body: 'text', headers: { 'content-language': 'de' } } : { method };
    const { tunnel, answer, respond } = await ask('a', init);
    await respond(status, 'b?q');
    const { head, sentText } = tunnel.stream();
    expect(head).toMatchObject({ method: next, path: '/in/b', query: 'q' });
    const keepsBody = hasBody && next !== 'GET';
    expect(sentText).toBe(keepsBody ? 'text' : '');
    expect('content-type' in head.headers).toBe(keepsBody);
    expect('content-language' in head.headers).toBe(keepsBody);
    await respond(200);
    expect(await answer).toMatchObject({ redirected: true, url: 'http://app.test/in/b?q' });
    expect(tunnel.streams).toHaveLength(2);
    expect(tunnel.stream(0).isDiscarded).toBe(true);
  });

  it.each([300, 304, 305, 306])('is nothing that %d asks for', async (status) => {
    const { tunnel, answer, respond } = await ask('a');
    await respond(status, 'b');
    expect(await answer).toMatchObject({ status, redirected: false });
    expect(tunnel.streams).toHaveLength(1);
  });

  it('without a location is an answer', async () => {
    const { answer, respond } = await ask('a');
    await respond(302);
    expect(await answer).toMatchObject({ status: 302 });
  });

  it.each([
    'http://other.test/in/',
    '//other.test/in/',
    'https://app.test/in/',
    '/out',
    '../out',
    'data:,x',
    'http://',
  ])('to %j leads out of the tunnel', async (location) => {
    const { tunnel, answer, respond } = await ask('a');
    await respond(302, location);
    await expect(answer).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_REDIRECT' });
    expect(tunnel.streams).toHaveLength(1);
  });

  it('is followed 20 times and not once more', async () => {
    for (const hops of [20, 21]) {
      const { tunnel, answer, respond } = await ask('0');
      for (let hop = 1; hop <= hops; hop += 1) await respond(302, `${hop}`);
      if (hops === 20) {
        await respond(200);
        expect((await answer).url).toBe('http://app.test/in/20');
      } else {
        await expect(answer).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_REDIRECT' });
      }
      expect(tunnel.streams).toHaveLength(21);
    }
  });

  it('is an answer when the program follows them itself', async () => {
    const { answer, respond } = await ask('a', { redirect: 'manual' });
    await respond(302, 'http://other.test/');
    const response = await answer;
    expect(response).toMatchObject({ status: 302, redirected: false });
    expect(response.headers.get('location')).toBe('http://other.test/');
  });

  it('is an error when the program wants none', async () => {
    const { answer, respond } = await ask('a', { redirect: 'error' });
    await respond(302, 'b');
    await expect(answer).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_REDIRECT' });
  });

  it('cannot send a stream twice', async () => {
    const body = new Response('x').body;
    const { answer, respond } = await ask('a', { method: 'POST', body, duplex: 'half' });
    await respond(307, 'b');
    await expect(answer).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_REDIRECT' });
  });

  it('sends a form again, with the type that fits', async () => {
    const form = new FormData();
    form.set('a', 'b');
    const { tunnel, respond } = await ask('a', { method: 'POST', body: form });
    await respond(308, 'b');
    const stream = tunnel.stream();
    await soon(() => stream.isEnded).toBe(true);
    const type = String(stream.head.headers['content-type']);
    const parsed = await new Response(stream.sentText, { headers: { 'content-type': type } }).formData();
    expect(parsed.get('a')).toBe('b');
  });

  it('leaves a type that the program named', async () => {
    const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    const { tunnel, respond } = await ask('a', init);
    await respond(307, 'b');
    expect(tunnel.stream().head.headers['content-type']).toBe('application/json');
  });

  it('is not followed any more once the program has aborted', async () => {
    const controller = new AbortController();
    const { tunnel, answer, respond } = await ask('a', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await respond(302, 'b');
    await expect(answer).rejects.toThrow('enough');
    expect(tunnel.streams).toHaveLength(1);
  });
});
