import { once } from 'node:events';
import { createSecureServer, createServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock } from '@openchambery/daemon';
import { eventually } from '@openchambery/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApnsProvider } from '../../src/apns/create-apns-provider.ts';
import { loopbackCertificate, makeNotification, makeProvider } from './rig.ts';

/** A server that answers as no push service would; it takes whatever `react` does to each stream. */
class OddServer {
  readonly provider: ApnsProvider;
  /** `:path` of every request. */
  readonly paths: string[] = [];
  readonly #server: Http2SecureServer;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Http2SecureServer, provider: ApnsProvider) {
    this.#server = server;
    this.provider = provider;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(
    react: (stream: ServerHttp2Stream, server: OddServer) => void,
    path = '',
  ): Promise<OddServer> {
    const { certPem, keyPem, caPem } = await loopbackCertificate();
    const server = createSecureServer({ cert: certPem, key: keyPem });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const odd = new OddServer(server, makeProvider(`https://127.0.0.1:${port}${path}`, caPem));
    server.on('session', (session) => session.on('error', () => session.destroy()));
    server.on('stream', (stream, headers) => {
      odd.paths.push(headers[':path'] ?? '');
      stream.on('error', () => stream.destroy());
      stream.resume();
      stream.on('end', () => react(stream, odd));
    });
    return odd;
  }

  /** Closes every TCP connection in order once what was written is gone. */
  fin(): void {
    for (const socket of this.#sockets) socket.destroySoon();
  }

  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    await this.provider.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

let odd: OddServer | undefined;

afterEach(async () => {
  await odd?.close();
  odd = undefined;
});

async function answerOf(
  react: (stream: ServerHttp2Stream, server: OddServer) => void,
  deadlineMs = 5000,
): Promise<unknown> {
  odd = await OddServer.start(react);
  return odd.provider.send(
    makeNotification(systemClock, { deadlineMs: systemClock.monotonicMs() + deadlineMs }),
  );
}

describe('an odd answer', () => {
  it.each([
    ['reset', (server: OddServer) => server.reset()],
    ['fin', (server: OddServer) => server.fin()],
  ])('counts with its status when its body is cut off (%s)', async (_name, end) => {
    const outcome = await answerOf((stream, server) => {
      stream.respond({ ':status': 410 });
      stream.write('{"reason":"Unregi', () => setImmediate(() => end(server)));
    });
    expect(outcome).toEqual({ kind: 'dead', reason: 'http-410', sinceMs: undefined });
  });

  it('counts with its status when its body does not end in time', async () => {
    const outcome = await answerOf((stream) => {
      stream.respond({ ':status': 503, 'retry-after': '3' });
      stream.write('{"reason":"Shutdown"}');
    }, 200);
    expect(outcome).toEqual({ kind: 'later', reason: 'Shutdown', retryAfterMs: 3000 });
  });

  it('is an acceptance when it says 200, whatever its body does', async () => {
    const outcome = await answerOf((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('x'.repeat(100_000));
    });
    expect(outcome).toEqual({ kind: 'accepted' });
  });

  it('that says 200 and does not end is an acceptance at the deadline, and gives its stream back', async () => {
    const outcome = await answerOf((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('x');
    }, 200);
    expect(outcome).toEqual({ kind: 'accepted' });
    await eventually(() => expect(odd?.provider.snapshot().sandbox.streamCount).toBe(0), { everyMs: 2 });
  });

  it('that says 200 may have an empty body of its own', async () => {
    const outcome = await answerOf((stream) => {
      stream.respond({ ':status': 200 });
      stream.end();
    });
    expect(outcome).toEqual({ kind: 'accepted' });
  });

  it.each([
    [4096, 'Shutdown'],
    [4097, 'http-503'],
  ])('is read up to 4096 bytes of body (%d)', async (bytes, reason) => {
    const json = JSON.stringify({ reason: 'Shutdown' });
    const outcome = await answerOf((stream) => {
      stream.respond({ ':status': 503 });
      stream.end(json + ' '.repeat(bytes - json.length));
    });
    expect(outcome).toMatchObject({ kind: 'later', reason });
  });

  it('without an end to its body is cut off', async () => {
    const outcome = await answerOf((stream) => {
      stream.respond({ ':status': 400 });
      const more = (): void => void (stream.destroyed || stream.write('y'.repeat(16_384), more));
      more();
    });
    expect(outcome).toEqual({ kind: 'request-fault', reason: 'http-400' });
  });

  it('may come after interim ones and before trailers', async () => {
    const outcome = await answerOf((stream) => {
      stream.additionalHeaders({ ':status': 103 });
      stream.additionalHeaders({ ':status': 102 });
      stream.respond({ ':status': 400 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-status': '200' }));
      stream.end('{"reason":"BadDeviceToken"}');
    });
    expect(outcome).toEqual({ kind: 'mismatch', reason: 'BadDeviceToken' });
  });

  it('that redirects is not followed', async () => {
    const outcome = await answerOf((stream) =>
      stream.respond({ ':status': 308, location: '/x' }, { endStream: true }),
    );
    expect(outcome).toEqual({ kind: 'configuration-fault', reason: 'http-308' });
    expect(odd?.paths).toHaveLength(1);
  });

  it('that ends without a status is unknown', async () => {
    const outcome = await answerOf((stream) => stream.close(0));
    expect(outcome).toMatchObject({ kind: 'unknown' });
  });
});

describe('the URL', () => {
  it.each([
    ['', '/3/device/'],
    ['/', '/3/device/'],
    ['/apns/proxy', '/apns/proxy/3/device/'],
    ['/apns/', '/apns/3/device/'],
  ])('with path %j asks for %s…', async (path, prefix) => {
    odd = await OddServer.start((stream) => stream.respond({ ':status': 200 }, { endStream: true }), path);
    const push = makeNotification(systemClock, { token: 'ab'.repeat(256) });
    expect(await odd.provider.send(push)).toEqual({ kind: 'accepted' });
    expect(odd.paths).toEqual([`${prefix}${push.token}`]);
  });

  it('may be without TLS: a proxy on the same machine that speaks HTTP/2 from the start', async () => {
    const server = createServer((_request, response) => response.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const provider = makeProvider(`http://127.0.0.1:${port}`, '');
    expect(await provider.send(makeNotification(systemClock))).toEqual({ kind: 'accepted' });
    await provider.close();
    await new Promise((resolve) => void server.close(resolve));
  });
});
