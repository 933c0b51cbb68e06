import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AppFetch } from '../../src/http/in-process.ts';
import { createNodeHandler, isPushRequest } from '../../src/http/node-adapter.ts';
import type { PushRequest } from '../../src/http/push-request.ts';
import { ROUTES } from '../../src/request/route.ts';

let server: Server;
let seen: { push: PushRequest; url: string }[];
let faults: unknown[];
let respond: AppFetch;

beforeEach(async () => {
  seen = [];
  faults = [];
  respond = () => Promise.resolve(new Response('{"ok":true}', { headers: { 'x-app': 'yes' } }));
  const handle = createNodeHandler(
    (request, env) => {
      seen.push({ push: env.push, url: request.url });
      return respond(request, env);
    },
    (error) => faults.push(error),
  );
  server = createServer((incoming, response) => {
    if (isPushRequest(incoming)) handle(incoming, response);
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function port(): number {
  return (server.address() as AddressInfo).port;
}

/** Sends a request head as it is and gives the status line of the answer. */
async function raw(head: string): Promise<string> {
  const socket = connect(port(), '127.0.0.1');
  socket.end(head);
  const answer = await text(socket);
  return answer.split('\r\n')[0] ?? '';
}

async function post(
  body: Buffer,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const outgoing = request({ port: port(), host: '127.0.0.1', method: 'POST', path: ROUTES.send, headers });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: await text(response) };
}

it('hands on the peer, the forwarded address and the body', async () => {
  const bodies: unknown[] = [];
  respond = async (_, { push }) => {
    bodies.push(await push.readBody(100));
    return new Response('{}');
  };
  expect((await post(Buffer.from('{"a":1}'), { 'x-forwarded-for': '198.51.100.7' })).status).toBe(200);
  expect(seen[0]?.push).toMatchObject({
    method: 'POST',
    peerAddress: '127.0.0.1',
    forwardedFor: '198.51.100.7',
  });
  expect(Buffer.from(bodies[0] as Uint8Array).toString()).toBe('{"a":1}');
});

it.each([100, 101])('lets a body have the bytes allowed and no more: %d of 100', async (length) => {
  let read: unknown;
  respond = async (_, { push }) => {
    read = await push.readBody(100);
    return new Response('{}');
  };
  for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
    expect((await post(Buffer.alloc(length, 'x'), headers)).status).toBe(200);
    if (length > 100) expect(read).toBe('too-large');
    else expect(read).toHaveLength(length);
  }
});

it('writes the answer of the app, headers and all', async () => {
  const response = await fetch(`http://127.0.0.1:${port()}${ROUTES.send}`, { method: 'POST', body: '{}' });
  expect([response.status, response.headers.get('x-app'), await response.json()]).toEqual([
    200,
    'yes',
    { ok: true },
  ]);
});

it.each([
  [`POST ${ROUTES.send} HTTP/1.0\r\n\r\n`, '200'],
  [
    `POST ${ROUTES.send}?x=% HTTP/1.1\r\nhost: a b/%\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
    '200',
  ],
  [`POST ${ROUTES.send} HTTP/1.1\r\nhost:\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, '200'],
  ['POST // HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 0\r\n\r\n', '404'],
  ['POST * HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 0\r\n\r\n', '404'],
  [
    `POST http://a${ROUTES.send} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
    '404',
  ],
  [`GET ${ROUTES.send} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`, '404'],
])('answers %j', async (head, status) => {
  expect(await raw(head)).toContain(` ${status} `);
  expect(faults).toEqual([]);
});

it('never lets a stranger choose the URL that the app sees', async () => {
  await raw(
    `POST ${ROUTES.send}?q HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
  );
  expect(seen.map(({ url }) => url)).toEqual([`http://push.invalid${ROUTES.send}`]);
});

it.each([
  ['rejects', () => Promise.reject(new Error('secret'))],
  [
    'throws',
    () => {
      throw new Error('secret');
    },
  ],
])('answers internal and tells of it when the app %s', async (_, fails) => {
  respond = fails;
  expect(await post(Buffer.from('{}'))).toEqual({ status: 500, text: '{"error":"internal"}' });
  expect(faults).toHaveLength(1);
});

it('survives a client that goes away in the middle', async () => {
  let read: unknown;
  const isRead = new Promise<void>((resolve) => {
    respond = async (_, { push }) => {
      read = await push.readBody(100);
      resolve();
      return new Response('{}');
    };
  });
  const socket = connect(port(), '127.0.0.1');
  socket.write(`POST ${ROUTES.send} HTTP/1.1\r\nhost: a\r\ncontent-length: 50\r\n\r\nhalf`);
  await once(server, 'request');
  socket.destroy();
  await isRead;
  expect(read).toBe('aborted');
  expect((await post(Buffer.from('{}'))).status).toBe(200);
});
