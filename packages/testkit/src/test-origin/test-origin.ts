import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Inbox } from '../inbox.ts';
import { EventStream, HeldRequest } from './held-request.ts';
import { OriginSockets } from './origin-sockets.ts';
import type { OriginSocket } from './origin-sockets.ts';
import { recordRequest } from './recorded-request.ts';
import type { OriginRequest } from './recorded-request.ts';
import { ROUTES } from './routes.ts';

export interface TestOriginOptions {
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** @default any free one */
  readonly port?: number;
  /** Requests that are remembered, the latest ones. @default 10000 */
  readonly recordLimit?: number;
}

/**
 * A program on a loopback address, as Hosts serve them; it remembers what reached it. Answers by itself: `/echo`,
 * `/echo-stream`, `/bytes/N[?chunked]`, `/sink`, `/cookies`, `/redirect/N[?to=&status=]`, `/gzip`, `/status/N`,
 * `/hop-by-hop`, `/reset/N`, `/truncate/N`, `/early`, `/ws/echo`, `/ws/refuse`, `/ws/hang`. Leaves to the test: `/sse`,
 * `/slow`, `/deaf` (does not read the upload) and other paths under `/ws`. Everything else is 404.
 */
export class TestOrigin {
  readonly #server: Server;
  readonly #sockets = new OriginSockets();
  readonly #connections = new Set<Socket>();
  readonly #requests: OriginRequest[] = [];
  readonly #recordLimit: number;
  readonly #held = new Inbox<HeldRequest>('held requests', ({ record }) => record.url);
  readonly #eventStreams = new Inbox<EventStream>('event streams', ({ record }) => record.url);
  #requestsTotal = 0;

  /** @internal `startTestOrigin` makes it. */
  constructor(options: TestOriginOptions) {
    this.#recordLimit = options.recordLimit ?? 10_000;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on('connection', (socket: Socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
    this.#server.on('upgrade', (request, socket, head) => {
      this.#sockets.accept(this.#remember(request, 'websocket'), { request, socket, head });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `http://host:port`, without a slash at the end. */
  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** The latest requests and upgrades in order of arrival. */
  get requests(): readonly OriginRequest[] {
    return this.#requests;
  }

  /** Requests and upgrades that ever arrived. */
  get requestsTotal(): number {
    return this.#requestsTotal;
  }

  /** TCP connections that are open. */
  get connections(): number {
    return this.#connections.size;
  }

  /** The next request to `/slow` or `/deaf`. */
  nextHeld(timeoutMs?: number): Promise<HeldRequest> {
    return this.#held.take(timeoutMs === undefined ? {} : { timeoutMs });
  }

  /** The next request to `/sse`, whose head has been answered. */
  nextEventStream(timeoutMs?: number): Promise<EventStream> {
    return this.#eventStreams.take(timeoutMs === undefined ? {} : { timeoutMs });
  }

  /** The next WebSocket that opened. */
  nextSocket(timeoutMs?: number): Promise<OriginSocket> {
    return this.#sockets.opened.take(timeoutMs === undefined ? {} : { timeoutMs });
  }

  /** Ends everything; resolves when no connection is left. */
  async close(): Promise<void> {
    this.#sockets.close();
    const closed = [...this.#connections, this.#server].map((emitter) => once(emitter, 'close'));
    this.#server.close();
    for (const socket of this.#connections) socket.destroy();
    await Promise.all(closed);
    this.#held.end('closed');
    this.#eventStreams.end('closed');
  }

  /** @internal */
  async start(options: TestOriginOptions): Promise<this> {
    this.#server.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });
    await once(this.#server, 'listening');
    return this;
  }

  #remember(request: IncomingMessage, kind: OriginRequest['kind']): OriginRequest {
    const record = recordRequest(request, kind);
    this.#requestsTotal += 1;
    this.#requests.push(record);
    if (this.#requests.length > this.#recordLimit) this.#requests.shift();
    return record;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const record = this.#remember(request, 'http');
    // Whoever resets a connection on purpose must not end the test with it.
    request.on('error', () => 'the answer is given up along with the connection');
    response.on('error', () => 'the answer is given up along with the connection');
    const [, name = '', rest = ''] = record.path.split('/');
    if (name === 'sse') return this.#openEventStream(new EventStream(record, request, response));
    if (name === 'slow' || name === 'deaf')
      return this.#hold(new HeldRequest(record, request, response), name);
    const route = ROUTES[name];
    if (route === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' });
      response.end('no such route');
      return;
    }
    try {
      await route({ record, request, response, rest, query: new URLSearchParams(record.query) });
    } catch (error) {
      if (!request.socket.destroyed) response.destroy(error as Error);
    }
  }

  #openEventStream(stream: EventStream): void {
    stream.begin(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.#eventStreams.push(stream);
  }

  #hold(held: HeldRequest, name: 'slow' | 'deaf'): void {
    if (name === 'slow') held.incoming.resume();
    else held.incoming.pause();
    this.#held.push(held);
  }
}

/** Starts an origin. The caller closes it. */
export function startTestOrigin(options: TestOriginOptions = {}): Promise<TestOrigin> {
  return new TestOrigin(options).start(options);
}
