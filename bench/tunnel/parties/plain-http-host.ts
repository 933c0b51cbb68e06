/**
 * A Host without encryption and without streams that asks its origin over HTTP: a text message is a path, and the answer
 * goes back in one message.
 * Run as a program with a channel to its parent: `plain-http-host.ts RELAY_URL ORIGIN_PORT`.
 */
import { Agent, get } from 'node:http';
import { WebSocket } from 'ws';
import type { SocketRequest } from '../socket-request.ts';
import { argument } from './party-process.ts';
import { serveAsPlainHost, SOCKET_OPTIONS } from './plain-control.ts';

const port = Number(argument(1));
const agent = new Agent({ keepAlive: true });

serveAsPlainHost(argument(0), (url) => {
  const client = new WebSocket(url, SOCKET_OPTIONS);
  client.on('message', (data: Buffer) => {
    const { path } = JSON.parse(data.toString()) as SocketRequest;
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => client.send(Buffer.concat(parts)));
    });
  });
});
