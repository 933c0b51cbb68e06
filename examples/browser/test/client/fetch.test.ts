import { patternSha256 } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { shared } from '../../../../apps/tunnel/test/e2e/support/keep.ts';
import { openHarness, TRANSPORTS } from '../support/open-page.ts';
import { testParties } from '../support/parties.ts';

interface Echo {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bytes: number;
}

describe.each(TRANSPORTS)('fetch in a browser, over %s', (transport) => {
  const parties = shared(testParties);
  const open = () => openHarness(parties.link, { transport });

  it('sends every kind of body that a browser knows, and names its type', async () => {
    const page = await open();
    const answers = await page.evaluate(async () => {
      const form = new FormData();
      form.append('field', 'välue');
      form.append('file', new File(['content'], 'name.txt', { type: 'text/x-test' }));
      const bodies: readonly BodyInit[] = [
        'täxt',
        new URLSearchParams({ a: '1 2', b: 'ü' }),
        new Blob(['blob'], { type: 'application/x-blob' }),
        new Uint8Array([1, 65, 66, 67]).subarray(1),
        new Uint8Array([68, 69]).buffer,
        form,
      ];
      return await Promise.all(
        bodies.map(async (body) => {
          const response = await harness.client.fetch('/echo', { method: 'POST', body });
          return (await response.json()) as Echo;
        }),
      );
    });
    const types = answers.map(({ headers }) => headers['content-type']);
    expect(answers.slice(0, 5).map(({ body }) => body)).toEqual([
      'täxt',
      'a=1+2&b=%C3%BC',
      'blob',
      'ABC',
      'DE',
    ]);
    expect(types.slice(0, 5)).toEqual([
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded;charset=UTF-8',
      'application/x-blob',
      undefined,
      undefined,
    ]);
    const boundary = /^multipart\/form-data; boundary=(.+)$/u.exec(types[5] ?? '')?.[1] ?? '?';
    const form = answers[5]?.body ?? '';
    expect(form.split(`--${boundary}`)).toHaveLength(4);
    expect(form).toContain('name="field"\r\n\r\nvälue\r\n');
    expect(form).toContain(
      'name="file"; filename="name.txt"\r\nContent-Type: text/x-test\r\n\r\ncontent\r\n',
    );
  });

  it('takes a Request, with its method, headers and body', async () => {
    const page = await open();
    const answer = await page.evaluate(async () => {
      const headers = { 'x-own': 'yes', 'content-type': 'text/x-own' };
      const request = new Request('/echo?x=1', { method: 'PUT', headers, body: 'of a Request' });
      const response = await harness.client.fetch(request);
      return (await response.json()) as Echo;
    });
    expect(answer).toMatchObject({ method: 'PUT', url: '/echo?x=1', body: 'of a Request' });
    expect(answer.headers).toMatchObject({ 'x-own': 'yes', 'content-type': 'text/x-own' });
  });

  it('streams an upload from a ReadableStream, no further ahead than the tunnel', async () => {
    const page = await open();
    const bytes = 4 * 1024 * 1024;
    const result = await page.evaluate(async (total) => {
      const download = await harness.client.fetch(`/bytes/${total}`);
      const upload = { method: 'POST', body: download.body, duplex: 'half' } as RequestInit;
      const response = await harness.client.fetch('/sink', upload);
      return (await response.json()) as unknown;
    }, bytes);
    expect(result).toEqual({ bytes, sha256: patternSha256(bytes) });
  });

  it('gives an answer that is echoed while the upload goes on', async () => {
    const page = await open();
    const words = await page.evaluate(async () => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const init = { method: 'POST', body: readable, duplex: 'half' } as RequestInit;
      const response = await harness.client.fetch('/echo-stream', init);
      const decoding = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
      const reader = response.body?.pipeThrough(decoding).getReader();
      const seen: unknown[] = [];
      for (const word of ['one', 'two', 'three']) {
        await writer.write(new TextEncoder().encode(word));
        seen.push((await reader?.read())?.value);
      }
      await writer.close();
      seen.push((await reader?.read())?.done);
      return seen;
    });
    expect(words).toEqual(['one', 'two', 'three', true]);
  });

  it('can be aborted before the answer, and the program hears of it', async () => {
    const page = await open();
    const outcome = page.evaluate(async () => {
      const controller = new AbortController();
      Object.assign(globalThis, { controller });
      const failure = await harness.client
        .fetch('/slow', { signal: controller.signal })
        .catch((error: unknown) => error);
      return failure instanceof DOMException ? failure.name : String(failure);
    });
    const held = await parties.origin.nextHeld();
    await page.evaluate(() => (globalThis as unknown as { controller: AbortController }).controller.abort());
    expect(await outcome).toBe('AbortError');
    await held.abandoned();
  });

  it('can be aborted within the answer, with a reason of its own', async () => {
    const page = await open();
    const outcome = await page.evaluate(async () => {
      const controller = new AbortController();
      const response = await harness.client.fetch('/bytes/50000000', { signal: controller.signal });
      const reader = response.body?.getReader();
      await reader?.read();
      controller.abort(new Error('enough'));
      const failure: unknown = await reader?.read().catch((error: unknown) => error);
      const next = await harness.client.fetch('/status/200');
      return {
        failure: String(failure),
        next: await next.text(),
        openStreams: harness.client.traffic.openStreams,
      };
    });
    expect(outcome).toEqual({ failure: 'Error: enough', next: 'status 200', openStreams: 0 });
  });

  it('does not begin when the signal was aborted already', async () => {
    const page = await open();
    const before = parties.origin.requestsTotal;
    const name = await page.evaluate(async () => {
      const failure = await harness.client
        .fetch('/echo', { signal: AbortSignal.abort() })
        .catch((error: unknown) => error);
      return (failure as DOMException).name;
    });
    expect(name).toBe('AbortError');
    expect(parties.origin.requestsTotal).toBe(before);
  });

  it('follows redirects within the tunnel, and none that leads out of it', async () => {
    const page = await open();
    const outcome = await page.evaluate(async () => {
      const { fetch } = harness.client;
      const followed = await fetch('/redirect/3');
      const manual = await fetch('/redirect/1', { redirect: 'manual' });
      const codeOf = async (path: string, init: RequestInit) => {
        const failure = await fetch(path, init).catch((error: unknown) => error);
        return (failure as { readonly code?: string }).code;
      };
      return {
        followed: [followed.status, followed.redirected, new URL(followed.url).pathname],
        manual: [manual.status, manual.headers.get('location'), manual.redirected],
        refused: await codeOf('/redirect/1', { redirect: 'error' }),
        out: await codeOf('/redirect/1?to=https://example.org/', {}),
      };
    });
    expect(outcome).toEqual({
      followed: [200, true, '/echo'],
      manual: [302, '/redirect/0', false],
      refused: 'ERR_RELAY_CLIENT_REDIRECT',
      out: 'ERR_RELAY_CLIENT_REDIRECT',
    });
  });

  it('gives a Response like any other', async () => {
    const page = await open();
    const outcome = await page.evaluate(async () => {
      const { fetch } = harness.client;
      const empty = await fetch('/status/204');
      const head = await fetch('/bytes/1000', { method: 'HEAD' });
      const cookies = await fetch('/cookies');
      const clone = cookies.clone();
      const gzip = await fetch('/gzip');
      const blob = await (await fetch('/bytes/1000')).blob();
      const missing = await fetch('/nowhere');
      return {
        isResponse: [empty, head, cookies].every((response) => response instanceof Response),
        empty: [empty.status, empty.body, await empty.text()],
        head: [head.status, head.headers.get('content-type'), await head.text()],
        cookies: [cookies.headers.get('set-cookie'), await cookies.text(), await clone.text()],
        gzip: (await gzip.text()).length,
        blob: [blob.size, blob.type],
        missing: [missing.ok, missing.status, await missing.text()],
      };
    });
    expect(outcome).toEqual({
      isResponse: true,
      empty: [204, null, ''],
      head: [200, 'application/octet-stream', ''],
      cookies: [null, 'three cookies', 'three cookies'],
      gzip: 11_000,
      blob: [1000, 'application/octet-stream'],
      missing: [false, 404, 'no such route'],
    });
  });

  it('loses no byte of many requests at a time', async () => {
    const page = await open();
    const sizes = Array.from({ length: 40 }, (_, index) => index * 7919);
    const hashes = await page.evaluate(
      (all) =>
        Promise.all(
          all.map(async (bytes) => {
            const response = await harness.client.fetch(`/bytes/${bytes}?chunked`);
            return harness.sha256(await response.arrayBuffer());
          }),
        ),
      sizes,
    );
    expect(hashes).toEqual(sizes.map((bytes) => patternSha256(bytes)));
  });

  it('gives what came before the program broke off, then fails', async () => {
    const page = await open();
    const outcome = await page.evaluate(async () => {
      const response = await harness.client.fetch('/reset/100000');
      const reader = response.body?.getReader();
      let bytes = 0;
      try {
        for (;;) {
          const next = await reader?.read();
          if (next?.value === undefined) return { bytes, code: 'complete' };
          bytes += next.value.byteLength;
        }
      } catch (error) {
        return { bytes, code: (error as { readonly code?: string }).code };
      }
    });
    expect(outcome).toEqual({ bytes: 100_000, code: 'ERR_RELAY_CLIENT_ABORTED_BY_HOST' });
  });

  it.each(['arrayBuffer', 'blob', 'bytes', 'text', 'json', 'formData'] as const)(
    'says why an answer could not be read by %s()',
    async (method) => {
      const page = await open();
      const outcome = await page.evaluate(async (read) => {
        const reasonOf = async (reading: Promise<unknown>) => {
          const failure = await reading.catch((error: unknown) => error);
          return (failure as { readonly code?: string }).code ?? (failure as Error).message;
        };
        const broken = await harness.client.fetch('/reset/100000');
        const controller = new AbortController();
        const aborted = await harness.client.fetch('/bytes/50000000', { signal: controller.signal });
        const reading = reasonOf(aborted[read]());
        controller.abort(new Error('enough'));
        return [await reasonOf(broken[read]()), await reading];
      }, method);
      expect(outcome).toEqual(['ERR_RELAY_CLIENT_ABORTED_BY_HOST', 'enough']);
    },
  );
});
