import { PAIRING_SECRET_HEADER } from '@openchambery/tunnel';
import { startTestOrigin, type TestOrigin } from '@openchambery/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Admission, RequestToAdmit } from '../../../src/relay-host.ts';
import { json, Rig } from '../rig.ts';

describe('admission', () => {
  let origin: TestOrigin;

  beforeEach(async () => {
    origin = await startTestOrigin();
    onTestFinished(() => origin.close());
  });

  it('refuses a path before the policy is asked, and says so as JSON', async () => {
    const asked: RequestToAdmit[] = [];
    const rig = new Rig({
      origin: origin.url,
      policy: {
        allowPaths: ['/echo'],
        admit: (request) => {
          asked.push(request);
          return { isAllowed: true };
        },
      },
    });
    for (const path of ['/', '/sink', '/echo/../sink', '/echo%2f..%2fsink', '/echo/\u001B[31m']) {
      const answer = await rig.fetch({ path, query: 'secret' }, 'upload');
      expect(answer.head).toEqual({
        status: 403,
        headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      });
      expect(await json(answer)).toEqual({ error: 'path_not_allowed', message: expect.any(String) });
      const failure = await rig.failures.take();
      expect(failure).toEqual({ path: path.replace('\u001B', '%1B'), error: 'path_not_allowed' });
      const socket = rig.openSocket({ path });
      expect(await socket.aborted()).toBe('path_not_allowed');
      expect(await rig.failures.take()).toEqual(failure);
    }
    expect([asked.length, origin.requestsTotal]).toEqual([0, 0]);
    expect((await rig.fetch({ path: '/echo' })).head.status).toBe(200);
    expect(asked.length).toBe(1);
  });

  it('reports no more of a path than is worth a line', async () => {
    const rig = new Rig({ origin: origin.url, policy: { allowPaths: [] } });
    await rig.fetch({ path: `/${'x'.repeat(1000)}` });
    expect((await rig.failures.take()).path).toBe(`/${'x'.repeat(255)}`);
  });

  it.each([
    [{ query: 'a b' }, 400, 'invalid_query'],
    [{ query: 'a#b' }, 400, 'invalid_query'],
    [{ query: 'a\r\nX: y' }, 400, 'invalid_query'],
    [{ query: 'a\0' }, 400, 'invalid_query'],
    [{ method: '' }, 405, 'method_not_allowed'],
    [{ method: 'GET /x HTTP/1.1\r\n\r\n' }, 405, 'method_not_allowed'],
    [{ method: 'CONNECT' }, 405, 'method_not_allowed'],
    [{ method: 'connect' }, 405, 'method_not_allowed'],
    [{ headers: { x: 'a\r\nb: c' } }, 400, 'invalid_headers'],
    [{ headers: { 'x y': 'z' } }, 400, 'invalid_headers'],
  ])('refuses what is not HTTP: %j', async (request, status, error) => {
    const rig = new Rig({ origin: origin.url });
    const answer = await rig.fetch({ path: '/echo', ...request });
    expect(answer.head.status).toBe(status);
    expect(await json(answer)).toMatchObject({ error });
    if (!('method' in request)) {
      expect(await rig.openSocket({ path: '/ws/echo', ...request }).aborted()).toBe(error);
    }
    expect(origin.requestsTotal).toBe(0);
  });

  it('shows the policy the request and its secret, which goes no further', async () => {
    const asked: RequestToAdmit[] = [];
    const rig = new Rig({
      origin: origin.url,
      policy: {
        admit: async (request) => {
          asked.push(request);
          return await Promise.resolve<Admission>({ isAllowed: true });
        },
      },
    });
    const headers = { [PAIRING_SECRET_HEADER.toUpperCase()]: 'hunter2', 'x-other': 'y' };
    const seen = await json(await rig.fetch({ method: 'PUT', path: '/echo/%20', query: 'q', headers }, 'x'));
    const socket = rig.openSocket({ path: '/ws/x', query: 'q', headers });
    await socket.opened();
    expect(asked).toEqual([
      { connectionId: 'conn-1', kind: 'http', method: 'PUT', path: '/echo/%20', secret: 'hunter2' },
      { connectionId: 'conn-1', kind: 'websocket', method: 'GET', path: '/ws/x', secret: 'hunter2' },
    ]);
    expect(JSON.stringify(seen)).toContain('x-other');
    expect(JSON.stringify(origin.requests)).not.toContain('hunter2');
    expect(JSON.stringify(origin.requests)).not.toContain('secret');
  });

  it('answers with the words of the policy', async () => {
    const refusal = {
      isAllowed: false,
      status: 401,
      error: 'unknown_secret',
      message: 'Pair again.',
    } as const;
    const rig = new Rig({ origin: origin.url, policy: { admit: () => refusal } });
    const request = rig.open({ method: 'POST', path: '/echo' });
    request.body.send('never read');
    const answer = await request.answer();
    expect(answer.head.status).toBe(401);
    expect(await json(answer)).toEqual({ error: 'unknown_secret', message: 'Pair again.' });
    expect([request.body.isDiscarded, request.body.takenBytes]).toEqual([true, 0]);
    expect(await rig.failures.take()).toEqual({ path: '/echo', error: 'unknown_secret' });
    expect(await rig.openSocket({ path: '/ws/echo' }).aborted()).toBe('unknown_secret');
    expect(origin.requestsTotal).toBe(0);
  });

  it('has no body in the refusal of a HEAD', async () => {
    const rig = new Rig({ origin: origin.url, policy: { allowPaths: [] } });
    const answer = await rig.fetch({ method: 'HEAD', path: '/' });
    expect(answer.head.status).toBe(403);
    expect((await answer.body.all()).length).toBe(0);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('secret hunter2');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret hunter2'))],
    ['answers nothing', () => undefined as unknown as Admission],
  ])('lets nothing in when the policy %s', async (_how, admit: () => Admission | Promise<Admission>) => {
    const rig = new Rig({ origin: origin.url, policy: { admit } });
    const answer = await rig.fetch({ path: '/echo' });
    expect(answer.head.status).toBe(500);
    const body = await json(answer);
    expect(body).toEqual({ error: 'policy_failed', message: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(await rig.openSocket({ path: '/ws/echo' }).aborted()).toBe('policy_failed');
    expect(origin.requestsTotal).toBe(0);
  });

  it('takes usable prefixes and origins only', () => {
    const rig = (options: object) => () => new Rig({ origin: origin.url, ...options });
    expect(rig({ policy: { allowPaths: ['/a', 'b'] } })).toThrow(
      expect.objectContaining({ code: 'ERR_HOST_OPTION', option: 'policy.allowPaths', got: '"b"' }),
    );
    expect(rig({ origin: 'http://example.com' })).toThrow(expect.objectContaining({ option: 'origin' }));
    expect(rig({ origin: undefined })).toThrow(expect.objectContaining({ option: 'origin' }));
  });
});
