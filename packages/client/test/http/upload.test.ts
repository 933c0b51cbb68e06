import { describe, expect, it } from 'vitest';
import { scriptClient, settle } from '../support/scripted-client.ts';
import type { ScriptedStream } from '../support/scripted-stream.ts';
import { soon } from '../support/soon.ts';

async function post(
  body: NonNullable<RequestInit['body']> | null,
  init: RequestInit = {},
): Promise<{
  readonly stream: ScriptedStream;
  readonly answer: Promise<Response>;
}> {
  const { client, open } = scriptClient();
  const tunnel = open();
  const answer = client.fetch('/', { method: 'POST', ...init, body });
  answer.catch(() => undefined);
  await settle();
  return { stream: tunnel.stream(), answer };
}

async function whenEnded(stream: ScriptedStream): Promise<void> {
  await soon(() => stream.isEnded).toBe(true);
}

/** A source that tells what happens to it. */
function source(): {
  readonly body: ReadableStream<Uint8Array>;
  readonly pulls: () => number;
  readonly cancelled: () => unknown;
  readonly controller: ReadableStreamDefaultController<unknown>;
} {
  let pulls = 0;
  let cancelled: unknown;
  let controller: ReadableStreamDefaultController<unknown> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
      },
      pull: async (given) => {
        pulls += 1;
        await settle();
        given.enqueue(Buffer.from(`${pulls};`));
      },
      cancel: (reason) => {
        cancelled = reason;
      },
    },
    { highWaterMark: 0 },
  );
  if (controller === undefined) throw new Error('a stream starts at once');
  return { body, pulls: () => pulls, cancelled: () => cancelled, controller };
}

describe('a body', () => {
  it.each([
    ['text', () => 'grüße', 'grüße', 'text/plain;charset=UTF-8'],
    ['an empty text', () => '', '', 'text/plain;charset=UTF-8'],
    [
      'a form of the URL kind',
      () => new URLSearchParams({ a: '1 2' }),
      'a=1+2',
      'application/x-www-form-urlencoded;charset=UTF-8',
    ],
    ['bytes', () => Buffer.from('xbytesx').subarray(1, 6), 'bytes', undefined],
    ['an ArrayBuffer', () => new Uint8Array([97, 98]).buffer, 'ab', undefined],
    ['a DataView', () => new DataView(new Uint8Array([97, 98, 99]).buffer, 1), 'bc', undefined],
    ['a Blob', () => new Blob(['blob'], { type: 'text/x' }), 'blob', 'text/x'],
    ['a Blob without a type', () => new Blob(['blob']), 'blob', undefined],
    ['a stream', () => new Response('streamed').body, 'streamed', undefined],
  ])('may be %s', async (_name, body, text, type) => {
    const { stream } = await post(body() as NonNullable<RequestInit['body']>);
    await whenEnded(stream);
    expect(stream.sentText).toBe(text);
    expect(stream.head.headers['content-type']).toBe(type);
  });

  it('may be a form with files', async () => {
    const form = new FormData();
    form.set('field', 'value');
    form.set('file', new Blob(['content'], { type: 'text/x' }), 'name.txt');
    const { stream } = await post(form);
    await whenEnded(stream);
    const type = String(stream.head.headers['content-type']);
    const parsed = await new Response(stream.sentText, { headers: { 'content-type': type } }).formData();
    expect(parsed.get('field')).toBe('value');
    expect(await (parsed.get('file') as File).text()).toBe('content');
  });

  it('may have a type that the program names', async () => {
    const { stream } = await post('{}', { headers: { 'content-type': 'application/json' } });
    expect(stream.head.headers['content-type']).toBe('application/json');
  });

  it('is what it was when fetch was called', async () => {
    const bytes = new Uint8Array(200_000).fill(1);
    const { stream } = await post(bytes);
    bytes.fill(2);
    await whenEnded(stream);
    expect(Buffer.concat(stream.sent)).toEqual(Buffer.alloc(200_000, 1));
  });
});

describe('a small body', () => {
  it('is written and ended in the turn of its request, to travel in one message with it', async () => {
    const { client, open } = scriptClient();
    const tunnel = open();
    const seen: boolean[] = [];
    const request = tunnel.request.bind(tunnel);
    tunnel.request = (head) => {
      const stream = request(head);
      queueMicrotask(() => seen.push(stream.isEnded));
      return stream;
    };
    for (const body of ['text', undefined] as const) {
      client.fetch('/', body === undefined ? {} : { method: 'POST', body }).catch(() => undefined);
      await settle();
    }
    expect(seen).toEqual([true, true]);
  });
});

describe('a large body', () => {
  it('in memory is queued piece by piece, as there is room', async () => {
    const { client, open } = scriptClient();
    const tunnel = open();
    tunnel.hasRoom = false;
    client.fetch('/', { method: 'POST', body: new Uint8Array(200_000) }).catch(() => undefined);
    await settle();
    const stream = tunnel.stream();
    expect(stream.sent).toHaveLength(1);
    stream.drain();
    await whenEnded(stream);
    expect(stream.sent.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536, 3392]);
  });

  it('from a stream is taken from it as there is room', async () => {
    const { client, open } = scriptClient();
    const tunnel = open();
    tunnel.hasRoom = false;
    const { body, pulls, cancelled } = source();
    client.request({ method: 'POST', path: '/', query: '', headers: {}, body }).catch(() => undefined);
    await soon(() => tunnel.stream().sent).toHaveLength(1);
    await settle();
    expect(pulls()).toBe(1);
    const stream = tunnel.stream();
    stream.drain();
    stream.hasRoom = false;
    await soon(() => stream.sent).toHaveLength(2);
    await settle();
    expect(pulls()).toBe(2);
    client.close();
    await settle();
    expect(cancelled()).toBeInstanceOf(Error);
    expect(pulls()).toBe(2);
  });
});

describe('a streamed body', () => {
  it('is cancelled when the request is aborted, though it gives nothing', async () => {
    const { body, cancelled } = (() => {
      let reason: unknown;
      const silent = new ReadableStream<Uint8Array>({ cancel: (given) => void (reason = given) });
      return { body: silent, cancelled: () => reason };
    })();
    const controller = new AbortController();
    const { answer } = await post(body, { signal: controller.signal, duplex: 'half' });
    controller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    await settle();
    expect(cancelled()).toBeInstanceOf(Error);
  });

  it('fails the request with its own error', async () => {
    const failing = source();
    const { stream, answer } = await post(failing.body, { duplex: 'half' });
    failing.controller.error(new Error('disk gone'));
    await expect(answer).rejects.toThrow('disk gone');
    expect(stream.aborts).toHaveLength(1);
    expect(stream.isEnded).toBe(false);
  });

  it('fails an answer that has begun with its own error too', async () => {
    let give: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (give = controller) });
    const { stream, answer } = await post(body, { duplex: 'half' });
    stream.respond(200).push('a');
    const text = (await answer).text();
    give?.error(new Error('disk gone'));
    await expect(text).rejects.toThrow('disk gone');
  });

  it('must be made of bytes', async () => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue('text') });
    const { answer, stream } = await post(body as ReadableStream<Uint8Array>, { duplex: 'half' });
    await expect(answer).rejects.toThrow(TypeError);
    expect(stream.aborts).toHaveLength(1);
  });

  it('goes on after the answer, and its signal is heard until it ends', async () => {
    let give: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (give = controller) });
    const controller = new AbortController();
    const { stream, answer } = await post(body, { signal: controller.signal, duplex: 'half' });
    stream.respond(200).push('a').end();
    expect(await (await answer).text()).toBe('a');
    give?.enqueue(Buffer.from('late'));
    await settle();
    expect(stream.sentText).toBe('late');
    controller.abort();
    expect(stream.aborts).toHaveLength(1);
  });

  it('is refused when somebody reads it already', async () => {
    const { client, open } = scriptClient();
    const tunnel = open();
    const { body } = source();
    body.getReader();
    const request = { method: 'POST', path: '/', query: '', headers: {}, body };
    await expect(client.request(request)).rejects.toThrow(TypeError);
    expect(tunnel.streams).toHaveLength(0);
  });
});
