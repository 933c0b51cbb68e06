import type { ServerResponse } from 'node:http';
import { eventually } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { readBody } from '../../src/index.ts';
import { answer, listen, mountOf, post, postText } from './harness.ts';

const echoUrl = mountOf((request, response) => answer(response, 200, request.url));

function get(target: string, headers = ''): string {
  return `GET ${target} HTTP/1.1\r\nHost: daemon.test\r\n${headers}\r\n`;
}

const noAnswer = { status: 500, body: '', headers: { 'cache-control': 'no-store', 'content-length': '0' } };

describe('a request on a listener with a mount', () => {
  it('goes to the mount that owns it, by its target as it was sent, and else nowhere', async () => {
    const { connect } = await listen({ mounts: [echoUrl] });
    const raw = await connect();
    for (const target of ['/mounted', '/mounted/%2e%2e//?a=b#c', '/mounted/../healthz']) {
      void raw.write(get(target));
      expect(await raw.response()).toMatchObject({ status: 200, body: target });
    }
    void raw.write(get('/healthz'));
    expect((await raw.response()).body).toBe('{"status":"ok"}');
    void raw.write(get('/else'));
    expect((await raw.response()).status).toBe(404);
  });

  it.each(['//', '*', 'http://daemon.test/mounted', '/%', '///mounted', '/\\', '/?', '//[', 'http://['])(
    'may have any target: %s',
    async (target) => {
      const asked: (string | undefined)[] = [];
      const mount = {
        owns: ({ url }: { url?: string | undefined }) => {
          asked.push(url);
          return false;
        },
        handle: () => undefined,
      };
      const { connect } = await listen({ mounts: [mount] });
      const raw = await connect();
      void raw.write(get(target));
      expect((await raw.response()).status).toBe(404);
      expect(asked).toEqual([target]);
    },
  );

  it('has no body in its answer when it is HEAD', async () => {
    const { connect } = await listen({ mounts: [echoUrl] });
    const raw = await connect();
    void raw.write(get('/mounted').replace('GET', 'HEAD') + get('/healthz'));
    expect((await raw.responseHead()).headers['content-length']).toBe('8');
    expect((await raw.response()).body).toBe('{"status":"ok"}');
  });

  it('does not count against the budget of plain requests; others do', async () => {
    const { connect, drops } = await listen({ mounts: [echoUrl], maxAdmissionsPerIp: 1 });
    const raw = await connect();
    for (let i = 0; i < 25; i++) {
      void raw.write(get('/mounted'));
      expect((await raw.response()).status).toBe(200);
    }
    for (let i = 0; i < 10; i++) {
      void raw.write(get('/healthz'));
      expect((await raw.response()).status).toBe(200);
    }
    void raw.write(get('/healthz'));
    await raw.ended();
    expect(drops).toMatchObject([{ cause: 'plain-rate' }]);
  });

  it('is refused like any other without a Host header', async () => {
    const { connect } = await listen({ mounts: [echoUrl] });
    const raw = await connect();
    void raw.write('GET /mounted HTTP/1.1\r\n\r\n');
    expect(await raw.response()).toMatchObject({ status: 400, headers: { connection: 'close' } });
    await raw.ended();
  });

  it('is a plain one when it offers an upgrade to WebSocket, and the mount never hears of it', async () => {
    const { connect } = await listen({ mounts: [echoUrl] });
    const raw = await connect();
    void raw.write(get('/mounted', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'));
    expect((await raw.response()).status).toBe(404);
    void raw.write(get('/mounted', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'));
    expect((await raw.response()).status).toBe(200);
  });

  it('is no CONNECT', async () => {
    const { connect } = await listen({ mounts: [{ ...echoUrl, owns: () => true }] });
    const raw = await connect();
    void raw.write('CONNECT /mounted HTTP/1.1\r\nHost: daemon.test\r\n\r\n');
    expect((await raw.response()).status).toBe(404);
  });

  it('hears 100 before it is handled when it waits for that', async () => {
    const mount = mountOf(async (request, response) => {
      const body = await readBody(request, 10);
      answer(response, 200, String(body));
    });
    const { connect } = await listen({ mounts: [mount] });
    const raw = await connect();
    void raw.write(post('Content-Length: 5\r\nExpect: 100-continue\r\n'));
    expect((await raw.response()).status).toBe(100);
    void raw.write('hello');
    expect(await raw.response()).toMatchObject({ status: 200, body: 'hello' });
    void raw.write(get('/mounted', 'Expect: something else\r\n'));
    expect((await raw.response()).status).toBe(200);
  });

  it('may be answered with what came before it, when its client asked for the end of the connection', async () => {
    const mount = mountOf((_request, response) => answer(response, 413));
    const { connect } = await listen({ mounts: [mount] });
    const raw = await connect();
    void raw.write(post('Content-Length: 900000\r\nConnection: close\r\n', 'a'.repeat(900_000)));
    expect((await raw.response()).status).toBe(413);
    expect(await raw.ended()).toBe('fin');
  });
});

describe('pipelined requests to a mount', () => {
  it('may be eight, and are answered in order whatever the order of the answers', async () => {
    const waiting: ServerResponse[] = [];
    const mount = mountOf((_request, response) => void waiting.push(response));
    const { connect } = await listen({ mounts: [mount] });
    const raw = await connect();
    void raw.write(Array.from({ length: 8 }, (_, i) => postText(`${i}`)).join(''));
    await eventually(() => expect(waiting).toHaveLength(8));
    for (const [i, response] of [...waiting.entries()].toReversed()) answer(response, 200, `${i}`);
    for (let i = 0; i < 8; i++) expect((await raw.response()).body).toBe(`${i}`);
    void raw.write(postText('again'));
    await eventually(() => expect(waiting).toHaveLength(9));
  });

  it('cost the connection when they are nine', async () => {
    const waiting: ServerResponse[] = [];
    const mount = mountOf((_request, response) => void waiting.push(response));
    const { connect, drops } = await listen({ mounts: [mount] });
    const raw = await connect();
    void raw.write(postText('x').repeat(9));
    await raw.ended();
    expect(waiting).toHaveLength(8);
    expect(drops).toMatchObject([{ cause: 'pipelining' }]);
  });
});

describe('a mount at fault', () => {
  const error = new Error('secret');

  it.each<[string, Parameters<typeof mountOf>[0]]>([
    [
      'throws',
      () => {
        throw error;
      },
    ],
    ['rejects', () => Promise.reject(error)],
    [
      'throws with half a head',
      (_request, response) => {
        response.setHeader('x-secret', 'secret').setHeader('content-length', 100);
        throw error;
      },
    ],
  ])('answers 500, empty, and the connection goes on: %s', async (_name, handle) => {
    const { connect, faults } = await listen({ mounts: [mountOf(handle)] });
    const raw = await connect();
    void raw.write(postText('abc') + get('/healthz'));
    const failed = await raw.response();
    expect(failed).toMatchObject(noAnswer);
    expect(failed.headers).not.toHaveProperty('x-secret');
    expect((await raw.response()).status).toBe(200);
    expect(faults).toEqual([error]);
  });

  it('costs its connection when half of the answer is out', async () => {
    const mount = mountOf((_request, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('abc');
      throw error;
    });
    const { connect, faults } = await listen({ mounts: [mount] });
    const raw = await connect();
    void raw.write(get('/mounted'));
    await raw.ended();
    expect(faults).toEqual([error]);
  });

  it('is heard and changes nothing when the answer is out', async () => {
    const mount = mountOf(async (_request, response) => {
      answer(response, 200, 'whole');
      await Promise.resolve();
      response.write('more');
      throw error;
    });
    const { connect, faults } = await listen({ mounts: [mount] });
    const raw = await connect();
    void raw.write(get('/mounted') + get('/healthz'));
    expect((await raw.response()).body).toBe('whole');
    expect((await raw.response()).status).toBe(200);
    expect(faults).toContain(error);
  });

  it('owns nothing when it cannot say', async () => {
    const broken = {
      owns: () => {
        throw error;
      },
      handle: () => undefined,
    };
    const { connect, faults } = await listen({ mounts: [broken, echoUrl] });
    const raw = await connect();
    void raw.write(get('/mounted'));
    expect((await raw.response()).status).toBe(200);
    expect(faults).toEqual([error]);
  });

  it('may answer a client that is gone', async () => {
    const waiting: ServerResponse[] = [];
    const mount = mountOf((_request, response) => void waiting.push(response));
    const { connect, faults } = await listen({ mounts: [mount] });
    const raw = await connect();
    void raw.write(get('/mounted'));
    await eventually(() => expect(waiting).toHaveLength(1));
    raw.reset();
    await eventually(() => expect(waiting[0]?.destroyed).toBe(true));
    for (const response of waiting) {
      response.writeHead(200);
      response.write('a');
      response.end('b');
    }
    const other = await connect();
    void other.write(get('/healthz'));
    expect((await other.response()).status).toBe(200);
    expect(faults).toEqual([]);
  });
});
