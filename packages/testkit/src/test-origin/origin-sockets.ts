import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { Inbox } from '../inbox.ts';
import { withTimeout } from '../wait.ts';
import type { CloseInfo, PeerMessage } from '../ws-peer.ts';
import type { OriginRequest } from './recorded-request.ts';

/** The origin's end of a WebSocket. */
export class OriginSocket {
  readonly record: OriginRequest;
  readonly socket: WebSocket;
  /** What arrived, on all paths but `/ws/echo`, which sends it back instead. */
  readonly messages: Inbox<PeerMessage>;
  readonly #closed: Promise<CloseInfo>;

  /** @internal The origin makes it. */
  constructor(record: OriginRequest, socket: WebSocket) {
    this.record = record;
    this.socket = socket;
    this.messages = new Inbox(`messages at ${record.url}`, ({ data }) => `${data.length} bytes`);
    this.#closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        this.messages.end(`closed ${code}`);
        resolve({ code, reason: reason.toString() });
      });
    });
  }

  /** How it ended, as the origin saw it. */
  closed(timeoutMs?: number): Promise<CloseInfo> {
    return withTimeout(this.#closed, () => `${this.record.url} is open`, timeoutMs);
  }

  send(data: string | Buffer): void {
    this.socket.send(data);
  }

  close(code?: number, reason?: string): void {
    this.socket.close(code, reason);
  }
}

/** Largest message that the origin takes, more than any tunnel passes on. */
const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;

/**
 * The WebSockets of an origin: `/ws/echo` sends back what comes, `/ws/refuse` answers the upgrade with 403, `/ws/hang`
 * never answers it; on any other path under `/ws` the test is the program. The first offered subprotocol is chosen,
 * except one that starts with `no-`.
 */
export class OriginSockets {
  readonly opened: Inbox<OriginSocket> = new Inbox('sockets of the origin', ({ record }) => record.url);
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_PAYLOAD_BYTES,
    handleProtocols: (offered) => [...offered].find((name) => !name.startsWith('no-')) ?? false,
  });

  accept(record: OriginRequest, upgrade: { request: IncomingMessage; socket: Duplex; head: Buffer }): void {
    const { request, socket, head } = upgrade;
    socket.on('error', () => socket.destroy());
    if (record.path === '/ws/hang') return;
    if (record.path !== '/ws' && !record.path.startsWith('/ws/')) return refuse(socket, '404 Not Found');
    if (record.path === '/ws/refuse') return refuse(socket, '403 Forbidden');
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#open(record, webSocket));
  }

  close(): void {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
    this.opened.end('closed');
  }

  #open(record: OriginRequest, socket: WebSocket): void {
    const opened = new OriginSocket(record, socket);
    socket.on('error', () => 'its close event follows');
    socket.on('message', (data, isBinary) => {
      if (record.path === '/ws/echo') socket.send(data, { binary: isBinary });
      else opened.messages.push({ data: data as Buffer, isBinary });
    });
    this.opened.push(opened);
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
