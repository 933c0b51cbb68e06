import { once } from 'node:events';
import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startTestOrigin } from '../../src/test-origin/test-origin.ts';
import type { TestOrigin } from '../../src/test-origin/test-origin.ts';

async function start(): Promise<TestOrigin> {
  const origin = await startTestOrigin();
  onTestFinished(() => origin.close());
  return origin;
}

test('pushes events when the test says so', async () => {
  const origin = await start();
  const answer = await fetch(`${origin.url}/sse`);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const stream = await origin.nextEventStream();
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  await stream.push('one\ntwo', 'token');
  expect((await reader.read()).value).toBe('event: token\ndata: one\ndata: two\n\n');
  await stream.comment('alive');
  expect((await reader.read()).value).toBe(': alive\n\n');
  stream.end();
  expect((await reader.read()).done).toBe(true);
});

test('holds a request until the test answers', async () => {
  const origin = await start();
  const asked = fetch(`${origin.url}/slow?x`, { method: 'POST', body: 'b' });
  const held = await origin.nextHeld();
  expect(held.record).toMatchObject({ method: 'POST', path: '/slow', query: 'x' });
  held.answer(201, 'now', { 'x-h': '1' });
  const answer = await asked;
  expect([answer.status, answer.headers.get('x-h'), await answer.text()]).toEqual([201, '1', 'now']);
});

test('notices that whoever asked has given up', async () => {
  const origin = await start();
  const controller = new AbortController();
  const asked = fetch(`${origin.url}/slow`, { signal: controller.signal }).catch(String);
  const held = await origin.nextHeld();
  controller.abort();
  await held.abandoned();
  expect(await asked).toContain('aborted');
});

test('never reads an upload to /deaf', async () => {
  const origin = await start();
  const upload = request(`${origin.url}/deaf`, { method: 'POST' });
  upload.on('error', () => 'the test ends it');
  upload.write(Buffer.alloc(30_000_000));
  const held = await origin.nextHeld();
  expect(held.incoming.readableFlowing).toBe(false);
  expect(upload.writableLength).toBeGreaterThan(0);
  upload.destroy();
});

test.each(['reset', 'truncate'])('breaks an answer off in its middle (%s)', async (route) => {
  const origin = await start();
  const answer = await fetch(`${origin.url}/${route}/100000`);
  expect(answer.headers.get('content-length')).toBe('100001');
  await expect(answer.arrayBuffer()).rejects.toThrow('terminated');
});

test('answers an upload before reading it', async () => {
  const origin = await start();
  const answer = await fetch(`${origin.url}/early`, { method: 'POST', body: 'x' });
  expect(answer.status).toBe(413);
});

test('echoes WebSocket messages, with the first subprotocol it likes', async () => {
  const origin = await start();
  const socket = new WebSocket(`${origin.url}/ws/echo?q`, ['no-thanks', 'chat.v2', 'chat.v1']);
  await once(socket, 'open');
  expect(socket.protocol).toBe('chat.v2');
  for (const message of ['text', Buffer.from([0, 255])]) {
    socket.send(message);
    const [data, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];
    expect([data.toString('latin1'), isBinary]).toEqual([
      Buffer.from(message).toString('latin1'),
      typeof message !== 'string',
    ]);
  }
  const opened = await origin.nextSocket();
  socket.close(4321, 'done');
  expect(await opened.closed()).toEqual({ code: 4321, reason: 'done' });
  expect(origin.requests[0]).toMatchObject({ kind: 'websocket', path: '/ws/echo', query: 'q' });
});

test('lets the test speak on other WebSockets', async () => {
  const origin = await start();
  const socket = new WebSocket(`${origin.url}/ws/mine`);
  await once(socket, 'open');
  const opened = await origin.nextSocket();
  socket.send('to you');
  expect((await opened.messages.take()).data.toString()).toBe('to you');
  opened.close(3001, 'enough');
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  expect([code, reason.toString()]).toEqual([3001, 'enough']);
});

test.each([
  ['/ws/refuse', '403'],
  ['/elsewhere', '404'],
])('refuses the upgrade of %s with %s', async (path, status) => {
  const origin = await start();
  const socket = new WebSocket(origin.url + path);
  const [error] = (await new Promise((resolve) => socket.once('error', (reason) => resolve([reason])))) as [
    Error,
  ];
  expect(error.message).toContain(status);
});

test('close leaves no connection', async () => {
  const origin = await startTestOrigin();
  const asked = fetch(`${origin.url}/slow`).catch(String);
  const socket = new WebSocket(`${origin.url}/ws/hang`);
  socket.on('error', () => 'it was never answered');
  await origin.nextHeld();
  await expect.poll(() => origin.requestsTotal).toBe(2);
  await origin.close();
  expect(await asked).toContain('fetch failed');
  expect(origin.connections).toBe(0);
});
