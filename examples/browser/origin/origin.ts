import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { answerHello } from './hello.ts';
import { answerImage } from './image.ts';
import { answerPage } from './page.ts';
import { answerStream } from './stream.ts';
import { answerUpload } from './upload.ts';

/** A program that listens. */
export interface RunningOrigin {
  readonly url: string;
  close(): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const ANSWERS: Readonly<Record<string, Answer>> = {
  'GET /': answerPage,
  'GET /api/hello': answerHello,
  'GET /api/stream': answerStream,
  'GET /api/image': answerImage,
  'POST /api/upload': answerUpload,
};

/** Starts it on 127.0.0.1. Rejects when the port is taken. */
export async function startOrigin(port: number): Promise<RunningOrigin> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const answer = ANSWERS[`${request.method} ${path}`] ?? answerNotFound;
    Promise.resolve(answer(request, response)).catch((error: Error) => response.destroy(error));
  });
  const sockets = new WebSocketServer({ server, path: '/ws', maxPayload: 1024 * 1024 });
  sockets.on('connection', (socket) => {
    socket.on('error', () => socket.terminate());
    socket.on('message', (message, isBinary) => socket.send(message, { binary: isBinary }));
  });
  // A server of `ws` that is given a server passes on its errors.
  sockets.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function answerNotFound(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain' });
  response.end(
    `There is nothing at ${request.method} ${request.url}. Try one of:\n${Object.keys(ANSWERS).join('\n')}\n`,
  );
}
