import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Inbox } from '@openchambery/testkit';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { untilTestEnds } from './keep.ts';

/** A request as the origin saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** A web program on this machine. */
export interface Origin {
  readonly url: string;
  readonly port: number;
  /** Everything that reached it, WebSockets included. */
  readonly seen: SeenRequest[];
  /** Answers of `/hold`, which a test writes. */
  readonly held: Inbox<ServerResponse>;
  /** Paths of requests whose connection broke before their answer was whole. */
  readonly broken: Inbox<string>;
  readonly sockets: Inbox<WebSocket>;
  readonly server: Server;
}

/** Bytes of `/bytes/N` from an offset on: each block is another, so that a lost or doubled one shows. */
export const BLOCK_BYTES = 65_536;

export function patternBlock(index: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, index & 0xff);
  block.writeUInt32BE(index);
  return block;
}

/** SHA-256 of so many bytes of the pattern. */
export function patternHash(bytes: number): string {
  const hash = createHash('sha256');
  for (const block of patternOf(bytes)) hash.update(block);
  return hash.digest('hex');
}

/** Starts an origin. */
export async function startOrigin(keep = untilTestEnds): Promise<Origin> {
  const server = createServer();
  const seen: SeenRequest[] = [];
  const held = new Inbox<ServerResponse>('held answers', () => 'answer');
  const broken = new Inbox<string>('broken answers', (path) => path);
  const sockets = new Inbox<WebSocket>('sockets', () => 'socket');
  const note = ({ method = '', url = '', headers }: IncomingMessage): void =>
    void seen.push({ method, url, headers });
  server.on('request', (request, response) => {
    note(request);
    response.once('close', () => {
      if (!response.writableFinished) broken.push(request.url ?? '');
    });
    void answer({ request, response, held });
  });
  const webSockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (names) => [...names].at(-1) ?? false,
  });
  server.on('upgrade', (request, socket, head) => {
    note(request);
    if (request.url === '/refuse')
      return void socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('message', (data, isBinary) => webSocket.send(data, { binary: isBinary }));
      sockets.push(webSocket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  keep(() => {
    server.close();
    server.closeAllConnections();
    for (const webSocket of webSockets.clients) webSocket.terminate();
  });
  return { url: `http://127.0.0.1:${port}`, port, seen, held, broken, sockets, server };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly held: Inbox<ServerResponse>;
}

async function answer({ request, response, held }: Exchange): Promise<void> {
  const [path = '', argument = ''] = (request.url ?? '').split('?')[0]?.slice(1).split('/') ?? [];
  switch (path) {
    case 'hold':
      held.push(response);
      return;
    case 'bytes':
      return sendPattern(response, Number(argument));
    case 'status':
      response.writeHead(Number(argument), { etag: '"e"', 'x-path': path });
      response.end(['204', '304'].includes(argument) ? undefined : `status ${argument}`);
      return;
    case 'cookies':
      response.setHeader('set-cookie', ['a=1; Path=/', 'b=2, c']);
      response.end('cookies');
      return;
    case 'early':
      response.writeHead(413).end('too much');
      return;
    case 'hash':
      response.setHeader('content-type', 'application/json');
      // An upload that breaks off is what some tests are about; `broken` tells of it.
      return hashBody(request).then(
        (result) => void response.end(JSON.stringify(result)),
        () => undefined,
      );
    default:
      response.end(`${request.method} ${request.url}`);
  }
}

async function hashBody(request: IncomingMessage): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    hash.update(chunk as Buffer);
  }
  return { bytes, sha256: hash.digest('hex') };
}

async function sendPattern(response: ServerResponse, bytes: number): Promise<void> {
  // A reader that goes away is what some tests are about.
  await pipeline(Readable.from(patternOf(bytes)), response).catch(() => undefined);
}

function* patternOf(bytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes; at += BLOCK_BYTES) {
    yield patternBlock(at / BLOCK_BYTES).subarray(0, Math.min(BLOCK_BYTES, bytes - at));
  }
}
