/**
 * An ordinary relay on the `ws` library: every message is decoded, and sent to the other side; a source is paused
 * while its target has too much waiting. It speaks the Layer 1 query without checking signatures.
 * Run as a program: `node ws-relay.ts PORT`.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type RawData, WebSocket, WebSocketServer } from 'ws';

const HIGH_WATER_BYTES = 1024 * 1024;
const LOW_WATER_BYTES = 512 * 1024;
const HEARTBEAT_MS = 30_000;
const MAX_PAYLOAD_BYTES = 131_072;

const controls = new Map<string, WebSocket>();
const pending = new Map<string, PendingClient>();
const alive = new WeakSet<WebSocket>();

interface PendingClient {
  readonly socket: WebSocket;
  readonly early: { readonly data: RawData; readonly binary: boolean }[];
  readonly keep: (data: RawData, binary: boolean) => void;
}

const port = Number(process.argv[2] ?? 8787);
const server = new WebSocketServer({
  host: '127.0.0.1',
  port,
  path: '/ws',
  backlog: 4096,
  perMessageDeflate: false,
  maxPayload: MAX_PAYLOAD_BYTES,
});
server.on('listening', () => process.stdout.write(`ws relay listening on ${port}\n`));
server.on('connection', accept);
process.on('SIGTERM', () => process.exit(0));

setInterval(() => {
  for (const socket of server.clients) {
    if (!alive.delete(socket)) {
      socket.terminate();
      continue;
    }
    socket.ping();
  }
}, HEARTBEAT_MS);

function accept(socket: WebSocket, request: IncomingMessage): void {
  alive.add(socket);
  socket.on('pong', () => alive.add(socket));
  socket.on('error', () => socket.terminate());
  const query = new URL(request.url ?? '/', 'ws://relay').searchParams;
  const serverId = query.get('serverId') ?? '';
  switch (query.get('role')) {
    case 'host-control':
      attachControl(socket, serverId);
      break;
    case 'client':
      attachClient(socket, serverId);
      break;
    case 'host-data':
      attachHostData(socket, query.get('connectionId') ?? '');
      break;
    default:
      socket.close(1008);
  }
}

function attachControl(socket: WebSocket, serverId: string): void {
  controls.set(serverId, socket);
  socket.on('close', () => controls.delete(serverId));
  socket.send(JSON.stringify({ type: 'sync', connectionIds: [] }));
}

function attachClient(socket: WebSocket, serverId: string): void {
  const control = controls.get(serverId);
  if (control === undefined) {
    socket.close(4008);
    return;
  }
  const connectionId = randomBytes(16).toString('base64url');
  const early: PendingClient['early'] = [];
  const keep: PendingClient['keep'] = (data, binary) => {
    early.push({ data, binary });
  };
  socket.on('message', keep);
  pending.set(connectionId, { socket, early, keep });
  control.send(JSON.stringify({ type: 'connected', connectionId }));
  socket.on('close', () => {
    pending.delete(connectionId);
    control.send(JSON.stringify({ type: 'disconnected', connectionId }), () => undefined);
  });
}

function attachHostData(host: WebSocket, connectionId: string): void {
  const client = pending.get(connectionId);
  if (client === undefined) {
    host.close(4002);
    return;
  }
  pending.delete(connectionId);
  client.socket.off('message', client.keep);
  for (const { data, binary } of client.early) {
    host.send(data, { binary });
  }
  forward(client.socket, host);
  forward(host, client.socket);
}

function forward(source: WebSocket, target: WebSocket): void {
  const resumeBelowMark = (): void => {
    if (target.bufferedAmount <= LOW_WATER_BYTES) {
      source.resume();
    }
  };
  source.on('message', (data, binary) => {
    if (target.bufferedAmount < HIGH_WATER_BYTES) {
      target.send(data, { binary });
      return;
    }
    // The callback says when this message was written, so ordinary messages need none.
    source.pause();
    target.send(data, { binary }, resumeBelowMark);
  });
  source.on('close', () => {
    if (target.readyState === WebSocket.OPEN) {
      target.close(1012);
    }
  });
}
