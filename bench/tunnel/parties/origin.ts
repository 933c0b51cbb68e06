/**
 * The origin of all paths: the same bytes over HTTP and over WebSockets.
 * Run as a program with a channel to its parent.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { WebSocketServer } from 'ws';
import { BodyCounter, partAt } from '../pattern.ts';
import { drops, smallAnswer } from './origin-answers.ts';
import { serveSockets } from './origin-sockets.ts';
import { portOf, ready } from './party-process.ts';

const server = createServer((request, response) => {
  // A failure is that of the connection, which its client is told by its end.
  serve(request, response).catch(() => response.destroy());
});
server.keepAliveTimeout = 600_000;
serveSockets(new WebSocketServer({ server, perMessageDeflate: false, skipUTF8Validation: true }));
server.listen(0, '127.0.0.1', () => ready({ port: String(portOf(server)) }));

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, path = '', bytes = '0'] = (request.url ?? '').split('/');
  switch (path) {
    case 'small':
      response.end(smallAnswer);
      return;
    case 'bytes':
      await pipeline(body(Number(bytes)), response);
      return;
    case 'sink':
      response.end(String(await countOf(request)));
      return;
    case 'drops':
      await sendDrops(response);
      return;
    default:
      response.writeHead(404).end();
  }
}

function* body(bytes: number): Generator<Buffer> {
  for (let sent = 0; sent < bytes; ) {
    const part = partAt(sent, bytes);
    sent += part.length;
    yield part;
  }
}

async function countOf(request: IncomingMessage): Promise<number> {
  const counter = new BodyCounter();
  for await (const chunk of request) counter.add(chunk as Buffer);
  return counter.bytes;
}

async function sendDrops(response: ServerResponse): Promise<void> {
  for await (const drop of drops()) response.write(drop);
  response.end();
}
