import { Agent } from 'node:http';
import { makeDeviceToken, makeIdentity, pushPaths, RawSocket, registerRequest } from '@openchambery/testkit';
import type { HttpResponse } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectOk, expectRefused, post, postText } from './support/push-http.ts';
import { usePush } from './support/push-setup.ts';

// Push API §1: routes, methods, request targets, the limit of a body, and what is JSON.

const MAX_BODY_BYTES = 16_384;
const setup = usePush();

async function connectRaw(): Promise<RawSocket> {
  const { host, port } = setup.push;
  const raw = await RawSocket.connect({ host, port });
  onTestFinished(() => raw.destroy());
  return raw;
}

/** The head of a POST with a JSON body. */
function head(target: string, ...lines: readonly string[]): string {
  const all = [`POST ${target} HTTP/1.1`, 'Host: push.test', 'Content-Type: application/json', ...lines];
  return `${all.join('\r\n')}\r\n\r\n`;
}

/** A registration that is valid, as text. */
function registration(): string {
  const { body } = registerRequest(makeIdentity(), makeDeviceToken());
  setup.sent.add(body);
  return JSON.stringify(body);
}

/** The same, filled up to `bytes` with a member that nobody knows. */
function registrationOf(bytes: number): string {
  const text = registration();
  const padding = 'x'.repeat(bytes - text.length - ',"padding":""'.length);
  return `${text.slice(0, -1)},"padding":"${padding}"}`;
}

describe('health', () => {
  it.each(['/healthz', '/readyz', '/healthz?a=b', '/readyz?%zz'])('%s answers GET', async (path) => {
    const answer = await postText(setup, path, '', { method: 'GET' });
    expect([answer.status, answer.text]).toEqual([200, '{"status":"ok"}']);
    expect(answer.headers['content-type']).toBe('application/json');
  });

  it.each(['/healthz', '/readyz'])('%s answers HEAD without a body', async (path) => {
    const answer = await postText(setup, path, '', { method: 'HEAD' });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers['content-type']).toBe('application/json');
  });
});

describe('an unknown route or method', () => {
  it.each([
    ['POST', '/'],
    ['POST', '/v1'],
    ['POST', '/v1/push'],
    ['POST', '/v1/push/'],
    ['POST', '/v1/push/unknown'],
    ['POST', '/v1/push/unregister-token'],
    ['POST', '/v2/push/send'],
    ['POST', '/V1/push/send'],
    ['POST', '/v1/push/Send'],
    ['POST', '/v1/push/send/'],
    ['POST', '/v1/push/send/x'],
    ['POST', '/v1//push/send'],
    ['POST', '/push/send'],
    ['POST', '/healthz'],
    ['PUT', '/readyz'],
    ['DELETE', '/healthz'],
    ['OPTIONS', '/healthz'],
    ['GET', '/'],
    ['GET', '/healthz/'],
    ['GET', '/metrics'],
    ['GET', '/ws'],
    ...Object.values(pushPaths).flatMap((path) =>
      ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method): [string, string] => [method, path]),
    ),
  ])('%s %s is 404, empty', async (method, path) => {
    const answer = await postText(setup, path, '', { method });
    expect([answer.status, answer.text]).toEqual([404, '']);
  });

  it('is 404 with a body too, whatever is in it', async () => {
    const answer = await postText(setup, '/v1/push/unknown', 'x'.repeat(100_000));
    expect([answer.status, answer.text]).toEqual([404, '']);
  });
});

describe('a strange request target', () => {
  /** What is answered; then that the process is well. */
  async function answerTo(bytes: string): Promise<HttpResponse | 'ended'> {
    const raw = await connectRaw();
    void raw.write(bytes);
    const answer = await raw.response().catch((error: unknown) => {
      if (raw.isEnded) return 'ended' as const;
      throw error;
    });
    expect((await postText(setup, '/healthz', '', { method: 'GET' })).status).toBe(200);
    return answer;
  }

  it.each(['POST', 'GET'])('%s gets 404 whatever it looks like', async (method) => {
    const targets = [
      '//',
      '///',
      '//v1/push/send',
      '/%',
      '/%zz',
      '/%c0%af',
      '/%00',
      '/..',
      '/?%',
      '/;',
      '/?',
    ];
    for (const target of [...targets, '//healthz', '/v1/push/%', '/v1/push/send%zz', '/v1/push/send%00']) {
      const answer = await answerTo(
        head(target, 'Content-Length: 0', 'Connection: close').replace('POST', method),
      );
      if (answer === 'ended') throw new Error(`${target} is not answered`);
      expect([target, answer.status, answer.body]).toEqual([target, 404, '']);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it.each([
    ['OPTIONS', '*'],
    ['POST', '*'],
    ['POST', 'http://'],
    ['POST', 'http://['],
    ['POST', 'http://push.test/v1/push/send'],
    ['POST', 'http://push.test:99999/v1/push/send'],
    ['POST', 'https://user:secret@push.test/v1/push/send'],
    ['POST', 'push.test:443'],
    ['POST', '?'],
    ['POST', 'v1/push/send'],
    ['POST', '/a b'],
    ['POST', '/\u0000'],
    ['POST', '/\u00ff\u00fe'],
    ['POST', '/v1/push/send?token=x&%zz=%'],
    ['POST', '/v1/push/%73end'],
    ['POST', '/v1/push/../push/send'],
    ['CONNECT', 'push.test:443'],
    ['CONNECT', '/v1/push/send'],
  ])('%s %j is answered or ended, never by a crash or an internal error', async (method, target) => {
    const answer = await answerTo(
      head(target, 'Content-Length: 2', 'Connection: close').replace('POST', method).concat('{}'),
    );
    if (answer !== 'ended') {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
  });

  it('may be megabytes long', async () => {
    const answer = await answerTo(
      head(`/v1/push/${'a'.repeat(3_000_000)}`, 'Content-Length: 0', 'Connection: close'),
    );
    if (answer !== 'ended') expect(answer.status).toBeGreaterThanOrEqual(400);
  });
});

describe('a body', () => {
  it(`may have ${MAX_BODY_BYTES} bytes`, async () => {
    const body = registrationOf(MAX_BODY_BYTES);
    expect(Buffer.byteLength(body)).toBe(MAX_BODY_BYTES);
    expectOk(await postText(setup, pushPaths.register, body));
  });

  it('with one byte more is 413', async () => {
    const body = registrationOf(MAX_BODY_BYTES + 1);
    expectRefused(await postText(setup, pushPaths.register, body), 413, 'payload_too_large');
  });

  it.each(Object.values(pushPaths))('is limited on %s', async (path) => {
    const answer = await postText(setup, path, 'x'.repeat(MAX_BODY_BYTES + 1));
    expectRefused(answer, 413, 'payload_too_large');
  });

  it('is counted in bytes, not in characters', async () => {
    const body = JSON.stringify({ padding: 'é'.repeat(MAX_BODY_BYTES / 2) });
    expectRefused(await postText(setup, pushPaths.register, body), 413, 'payload_too_large');
  });

  /** Sends `body` in pieces without a content-length. */
  async function postChunked(raw: RawSocket, body: string, pieceBytes: number): Promise<HttpResponse> {
    await raw.write(head(pushPaths.register, 'Transfer-Encoding: chunked'));
    for (let at = 0; at < body.length; at += pieceBytes) {
      const piece = body.slice(at, at + pieceBytes);
      await raw.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    }
    await raw.write('0\r\n\r\n');
    return raw.response();
  }

  it('may come in chunks, up to the same limit', async () => {
    const answer = await postChunked(await connectRaw(), registrationOf(MAX_BODY_BYTES), 1000);
    expect([answer.status, answer.body]).toEqual([200, '{"ok":true}']);
  });

  it.each([MAX_BODY_BYTES + 1, 200_000, 1_000_000])(
    'in chunks of %i bytes together is 413',
    async (bytes) => {
      const raw = await connectRaw();
      const answer = await postChunked(raw, registrationOf(bytes), 1000);
      expect([answer.status, answer.body]).toEqual([413, '{"error":"payload_too_large"}']);
      expect(answer.headers['cache-control']).toBe('no-store');
      // The connection survives.
      const next = await postChunked(raw, registration(), 1000);
      expect([next.status, next.body]).toEqual([200, '{"ok":true}']);
    },
  );

  it.each([MAX_BODY_BYTES + 1, 200_000, 1_000_000])(
    'of %i announced bytes leaves the connection usable',
    async (bytes) => {
      const raw = await connectRaw();
      await raw.write(head(pushPaths.register, `Content-Length: ${bytes}`));
      await raw.write(registrationOf(bytes));
      const answer = await raw.response();
      expect([answer.status, answer.body]).toEqual([413, '{"error":"payload_too_large"}']);
      const next = registration();
      await raw.write(head(pushPaths.register, `Content-Length: ${next.length}`) + next);
      expect((await raw.response()).status).toBe(200);
    },
  );

  it('in chunks that never end is refused as soon as it is too large', async () => {
    const raw = await connectRaw();
    await raw.write(head(pushPaths.send, 'Transfer-Encoding: chunked'));
    for (let i = 0; i < 20; i++) await raw.write(`400\r\n${'x'.repeat(1024)}\r\n`);
    const answer = await raw.response();
    expect([answer.status, answer.body]).toEqual([413, '{"error":"payload_too_large"}']);
  });

  it('is asked for when the client waits for that', async () => {
    const raw = await connectRaw();
    const body = registration();
    await raw.write(head(pushPaths.register, `Content-Length: ${body.length}`, 'Expect: 100-continue'));
    expect((await raw.response()).status).toBe(100);
    await raw.write(body);
    expect((await raw.response()).status).toBe(200);
  });

  it('may follow another on the same connection at once; answers come in order', async () => {
    const raw = await connectRaw();
    const bodies = [registration(), '{}', registration()];
    await raw.write(
      bodies.map((body) => head(pushPaths.register, `Content-Length: ${body.length}`) + body).join(''),
    );
    const statuses = [];
    for (let i = 0; i < bodies.length; i++) statuses.push((await raw.response()).status);
    expect(statuses).toEqual([200, 400, 200]);
  });

  it('that is asked for behind another does not disturb its answer', async () => {
    const raw = await connectRaw();
    const [first, second] = [registration(), registration()];
    await raw.write(
      head(pushPaths.register, `Content-Length: ${first.length}`) +
        first +
        head(pushPaths.register, `Content-Length: ${second.length}`, 'Expect: 100-continue') +
        second,
    );
    const answer = await raw.response();
    expect([answer.status, answer.body]).toEqual([200, '{"ok":true}']);
    // RFC 9110 §10.1.1: a server may leave the 100 out when the body is on its way.
    let next = await raw.response();
    if (next.status === 100) next = await raw.response();
    expect([next.status, next.body]).toEqual([200, '{"ok":true}']);
  });

  it('that is cut off by its client costs nobody anything', async () => {
    for (const cut of ['destroy', 'reset', 'halfClose'] as const) {
      const raw = await connectRaw();
      await raw.write(head(pushPaths.register, 'Content-Length: 1000'));
      await raw.write('{"token":"');
      raw[cut]();
    }
    expectOk(await postText(setup, pushPaths.register, registration()));
  });

  it('of a keep-alive client may be too large without costing it the connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ports = new Set<number | undefined>();
    agent.on('free', (socket: { readonly localPort?: number }) => ports.add(socket.localPort));
    for (const bytes of [MAX_BODY_BYTES, MAX_BODY_BYTES + 1, MAX_BODY_BYTES]) {
      const answer = await postText(setup, pushPaths.register, registrationOf(bytes), { agent });
      expect(answer.status).toBe(bytes > MAX_BODY_BYTES ? 413 : 200);
    }
    expect(ports.size).toBe(1);
  });
});

describe('JSON', () => {
  it.each([
    ['nothing', ''],
    ['white space', '  \n'],
    ['a word', 'token'],
    ['half an object', '{"token":'],
    ['two objects', '{}{}'],
    ['a trailing comma', '{"ts":1,}'],
    ['a form', 'token=1&platform=ios'],
    ['null', 'null'],
    ['an array', '[]'],
    ['an array around a request', '[{"ts":1}]'],
    ['a string', '"token"'],
    ['a number', '1'],
    ['true', 'true'],
    ['an object without members', '{}'],
    ['deep nesting', '['.repeat(8000)],
    ['deep nesting in a member', `{"publicKeyJwk":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`],
    ['a byte order mark of UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
  ])('%s is 400 on every route', async (_name, body) => {
    for (const path of Object.values(pushPaths)) {
      expectRefused(await postText(setup, path, body), 400, 'invalid_request');
    }
  });

  it('has to be UTF-8', async () => {
    const [before, after] = registration().split('"platform"');
    const bytes = Buffer.concat([
      Buffer.from(`${before}"padding":"`),
      Buffer.from([0xc3, 0x28, 0xff]),
      Buffer.from(`","platform"${after}`),
    ]);
    expectRefused(await postText(setup, pushPaths.register, bytes), 400, 'invalid_request');
  });

  it('members that nobody knows are ignored, null and nested ones too', async () => {
    const identity = makeIdentity();
    const overrides = { unknown: 1, nothing: null, nested: { aps: [{}] }, __proto__x: 'x', constructor: {} };
    expectOk(await post(setup, registerRequest(identity, makeDeviceToken(), { overrides })));
  });

  it('a member called __proto__ is one of those', async () => {
    const text = registration().replace('{', '{"__proto__":{"token":"x","platform":null},');
    expectOk(await postText(setup, pushPaths.register, text));
  });

  it('a member called __proto__ cannot stand in for those that are missing', async () => {
    const { body, path } = registerRequest(makeIdentity(), makeDeviceToken());
    const text = `{"__proto__":${JSON.stringify(body)}}`;
    expectRefused(await postText(setup, path, text), 400, 'invalid_request');
  });
});
