import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Failure } from './describe-failure.ts';

/** Answers a request that gets nowhere. */
export function answerFailure(response: ServerResponse, { status, error, message }: Failure): void {
  const body = JSON.stringify({ error, message });
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** Answers an upgrade that gets nowhere, and ends the connection. */
export function refuseUpgrade(socket: Duplex, { status, error, message }: Failure): void {
  const body = JSON.stringify({ error, message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `cache-control: no-store\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
