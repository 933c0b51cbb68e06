import type { WebSocket, WebSocketServer } from 'ws';
import { BodyCounter, partAt } from '../pattern.ts';
import type { SocketRequest } from '../socket-request.ts';
import { drops, smallAnswer } from './origin-answers.ts';

/** A sender waits while more than this has not left its process. */
const HIGH_WATER_BYTES = 1024 * 1024;

/** The origin's answers over WebSockets: the same bytes as over HTTP, each request one text message. */
export function serveSockets(server: WebSocketServer): void {
  server.on('connection', (socket) => {
    socket.on('error', () => socket.terminate());
    let upload: { readonly bytes: number; readonly counter: BodyCounter } | undefined;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary && upload !== undefined) {
        upload.counter.add(data);
        if (upload.counter.bytes >= upload.bytes) socket.send(String(upload.counter.bytes));
        return;
      }
      const request = JSON.parse(data.toString()) as SocketRequest;
      if (request.path === '/sink') upload = { bytes: request.bytes, counter: new BodyCounter() };
      // A failure is that of the socket, which is told to the other side by its close.
      else answer(socket, request).catch(() => socket.terminate());
    });
  });
}

async function answer(socket: WebSocket, { path, bytes }: SocketRequest): Promise<void> {
  switch (path) {
    case '/small':
      socket.send(smallAnswer);
      return;
    case '/drops':
      for await (const drop of drops()) socket.send(drop);
      return;
    default:
      await sendBytes(socket, bytes);
  }
}

/** What a body is sent over. */
export interface MessageSender {
  readonly bufferedAmount: number;
  send(data: Uint8Array, callback?: (error?: Error | null) => void): void;
}

/** Sends a body of `bytes` in messages of one block, no faster than it leaves. */
export async function sendBytes(socket: MessageSender, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes; ) {
    const part = partAt(sent, bytes);
    sent += part.length;
    if (socket.bufferedAmount < HIGH_WATER_BYTES) socket.send(part);
    else await sendAndWait(socket, part);
  }
}

/** The callback comes with an error when the socket closes first. */
function sendAndWait(socket: MessageSender, part: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(part, (error) => (error ? reject(error) : resolve()));
  });
}
