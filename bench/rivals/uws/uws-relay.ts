/**
 * A relay on uWebSockets.js: every message is decoded and sent to the other side. The library cannot stop reading a
 * WebSocket, so there is no backpressure: the generator bounds what is under way. No signatures are checked.
 * Run as a program: `node uws-relay.ts PORT`.
 */
import { randomBytes } from 'node:crypto';
import { loadUws, type UwsSocket, type UwsUserData } from './load.ts';

const MAX_PAYLOAD_BYTES = 131_072;
const MAX_BACKPRESSURE_BYTES = 256 * 1024 * 1024;
const OPCODE_BINARY = true;

const controls = new Map<string, UwsSocket>();
const pending = new Map<string, UwsSocket>();

const port = Number(process.argv[2] ?? 8787);
const uws = loadUws();
if (uws === undefined) {
  throw new Error('uWebSockets.js cannot be loaded');
}
uws
  .App()
  .ws('/ws', {
    maxPayloadLength: MAX_PAYLOAD_BYTES,
    maxBackpressure: MAX_BACKPRESSURE_BYTES,
    idleTimeout: 120,
    upgrade: (response, request, context) => {
      const userData: UwsUserData = {
        role: request.getQuery('role') ?? '',
        serverId: request.getQuery('serverId') ?? '',
        connectionId: request.getQuery('connectionId') ?? '',
        target: undefined,
      };
      response.upgrade(
        userData,
        request.getHeader('sec-websocket-key'),
        request.getHeader('sec-websocket-protocol'),
        request.getHeader('sec-websocket-extensions'),
        context,
      );
    },
    open: attach,
    message: (socket, message, binary) => {
      socket.getUserData().target?.send(message, binary);
    },
    close: (socket) => {
      const data = socket.getUserData();
      pending.delete(data.connectionId);
      if (data.role === 'host-control') {
        controls.delete(data.serverId);
      }
      const { target } = data;
      if (target !== undefined) {
        data.target = undefined;
        target.getUserData().target = undefined;
        target.end(1012);
      }
    },
  })
  .listen('127.0.0.1', port, (token) => {
    process.stdout.write(token === false ? 'cannot listen\n' : `uws relay listening on ${port}\n`);
  });
process.on('SIGTERM', () => process.exit(0));

function attach(socket: UwsSocket): void {
  const data = socket.getUserData();
  switch (data.role) {
    case 'host-control':
      controls.set(data.serverId, socket);
      socket.send(JSON.stringify({ type: 'sync', connectionIds: [] }), !OPCODE_BINARY);
      break;
    case 'client':
      data.connectionId = randomBytes(16).toString('base64url');
      pending.set(data.connectionId, socket);
      controls
        .get(data.serverId)
        ?.send(JSON.stringify({ type: 'connected', connectionId: data.connectionId }), !OPCODE_BINARY);
      break;
    default: {
      const client = pending.get(data.connectionId);
      if (client === undefined) {
        socket.end(4002);
        return;
      }
      pending.delete(data.connectionId);
      data.target = client;
      client.getUserData().target = socket;
    }
  }
}
