import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { once } from 'node:events';
import {
  delay,
  makeDeviceToken,
  makeIdentity,
  pushPaths,
  registerRequest,
  sendRequest,
  signedQuery,
  withTimeout,
} from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rowsOf } from '../../e2e/support/push-http.ts';
import type { PushSetup } from '../../e2e/support/push-setup.ts';
import { connectHost } from '../../e2e/support/sockets.ts';
import { connectionsTo } from '../support/established.ts';
import type { Front } from '../support/front.ts';
import { postBody, postSigned } from '../support/push-behind.ts';
import type { ProxyKind } from '../support/running-proxy.ts';
import { keptConnection, secureRequest } from '../support/secure-request.ts';

/** The limit of the push API on bodies, in bytes. */
const MAX_BODY_BYTES = 16_384;

/** What belongs to the push relay. The address of these tests is their own: its limits are counted elsewhere. */
export function describePush(front: Front, setup: PushSetup, { tooLong }: ProxyKind): void {
  const localAddress = '127.0.0.3';

  describe('/v1/push/', () => {
    it('registers a phone and wakes it', async () => {
      const identity = makeIdentity();
      const token = makeDeviceToken();
      const registered = await postSigned(front.proxy.port, registerRequest(identity, token), {
        localAddress,
      });
      expect([registered.status, registered.body]).toEqual([200, '{"ok":true}']);
      expect(registered.headers['strict-transport-security']).toBe('max-age=31536000');
      const request = sendRequest(identity, { tokens: [token], title: 'ring' });
      const sent = await postSigned(front.proxy.port, request, { localAddress });
      const { status, headers, body } = sent;
      expect(rowsOf({ status, headers, text: body, json: JSON.parse(body) })).toEqual([{ token, ok: true }]);
      expect(setup.sandbox.count(token)).toBe(1);
    });

    it.each([
      ['takes a body at its limit', MAX_BODY_BYTES, 400, 'invalid_request'],
      ['passes on how a body over it is refused', MAX_BODY_BYTES + 1, 413, 'payload_too_large'],
      ['passes on how 17 KiB are refused', 17 * 1024, 413, 'payload_too_large'],
    ])('%s', async (_what, bytes, status, error) => {
      const agent = keptConnection();
      const answer = await postBody(front.proxy.port, pushPaths.send, '{}'.padEnd(bytes), {
        localAddress,
        agent,
      });
      expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { error }]);
      expect(answer.headers['cache-control']).toBe('no-store');
      const next = await secureRequest(front.proxy.port, { path: '/healthz', agent });
      expect(next.status).toBe(200);
    });

    it('refuses a body that is far too long', async () => {
      const answer = await postBody(front.proxy.port, pushPaths.send, '{}'.padEnd(70_000), { localAddress });
      expect(tooLong).toContain(answer.status);
    });

    it.each(['/v1/push/', '/v1/push/nothing', '/v1/push/healthz'])('has nothing at %s', async (path) => {
      const answer = await postBody(front.proxy.port, path, '{}', { localAddress });
      expect([answer.status, answer.body]).toEqual([404, '']);
      expect(answer.headers['cache-control']).toBe('no-store');
    });
  });
}

/** Plain requests, and what lies between them and the relay. */
export function describeHttp(front: Front): void {
  const health = (): Promise<number> =>
    secureRequest(front.proxy.port, { path: '/healthz' }).then(({ status }) => status);

  describe('plain requests', () => {
    it.each(['/healthz', '/readyz', '/healthz?a=b'])('%s is the health of the relay', async (path) => {
      const answer = await secureRequest(front.proxy.port, { path });
      expect([answer.status, answer.body]).toEqual([200, '{"status":"ok"}']);
      expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
    });

    it.each(['/', '/ws', '/metrics', '/v1/push', '/v1/pushed/send', '/v2/push/send', '//', '///', '/;'])(
      'GET %s is 404',
      async (path) => {
        const answer = await secureRequest(front.proxy.port, { path });
        expect([answer.status, answer.body]).toEqual([404, '']);
        expect(answer.headers['cache-control']).toBe('no-store');
      },
    );

    it.each([
      '//v1/push/send',
      '/v1//push/send',
      '/v1/push//send',
      '/v1/push/../../ws',
      '/ws/../v1/push/send',
      '/v1/push%2fsend',
      '/%76%31/push/send',
      '/V1/PUSH/SEND',
      '/%2e%2e/ws',
      '/%',
      '/%zz',
      '/%00',
      '/%c0%af',
      '/..',
      '/../healthz',
      'http://other.example/',
      'http://',
      '*',
    ])('GET %s harms nobody', async (path) => {
      const { status } = await secureRequest(front.proxy.port, { path });
      // A proxy may know better than to pass it on, and one that does not know the name has nothing to say.
      expect([200, 400, 404], `status ${status}`).toContain(status);
      expect(await health()).toBe(200);
    });

    it('come by TLS only: others are sent there', async () => {
      const { httpPort } = front.proxy;
      const [response] = (await once(get(`http://127.0.0.1:${httpPort}/ws?a=b`), 'response')) as [
        IncomingMessage,
      ];
      response.resume();
      expect([301, 308]).toContain(response.statusCode);
      expect(response.headers.location).toMatch(/^https:\/\/127\.0\.0\.1(?::\d+)?\/ws\?a=b$/u);
    });

    it('reuse the connection to the relay, for longer than a request head may take', async () => {
      const agent = keptConnection();
      await secureRequest(front.proxy.port, { path: '/healthz', agent });
      const before = connectionsTo(front.relay.port);
      await delay(2500);
      const answer = await secureRequest(front.proxy.port, { path: '/healthz', agent });
      expect([answer.status, answer.reused]).toEqual([200, true]);
      const after = connectionsTo(front.relay.port);
      expect(before.filter((port) => after.includes(port))).not.toEqual([]);
    });
  });

  describe('HTTP/2', () => {
    it('is spoken, and a WebSocket still finds its way', async () => {
      const session = connect(`https://127.0.0.1:${front.proxy.port}`);
      onTestFinished(() => session.destroy());
      await withTimeout(once(session, 'remoteSettings'), () => 'no HTTP/2');
      expect(session.alpnProtocol).toBe('h2');
      const stream = session.request({ ':path': '/healthz' });
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
      expect(headers[':status']).toBe(200);
      await connectHost(front.relay);
      // RFC 8441: a browser that sees this setting opens WebSockets as streams.
      if (session.remoteSettings.enableConnectProtocol !== true) return;
      const query = signedQuery({ identity: makeIdentity(), role: 'host-control' });
      const tunnel = session.request({
        ':method': 'CONNECT',
        ':protocol': 'websocket',
        ':scheme': 'https',
        ':authority': `127.0.0.1:${front.proxy.port}`,
        ':path': `/ws?${query}`,
        'sec-websocket-version': '13',
      });
      const [opened] = (await withTimeout(once(tunnel, 'response'), () => 'no answer to CONNECT')) as [
        Record<string, unknown>,
      ];
      expect(opened[':status']).toBe(200);
      const [frame] = (await withTimeout(once(tunnel, 'data'), () => 'no sync')) as [Buffer];
      expect(frame.subarray(2).toString()).toBe('{"type":"sync","connectionIds":[]}');
    });
  });
}
