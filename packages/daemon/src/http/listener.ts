import type http from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, Server as TcpServer, type Socket } from 'node:net';
import { offersWebSocket, type Clock } from '@openchambery/wire';
import { normaliseIp, UNKNOWN_IP } from '../address/client-ip.ts';
import type { ConnectionDropped } from './connection-dropped.ts';
import { destroyInTime, giveLastAnswer, type EndTiming } from './last-answer.ts';
import type { ListenerLimits } from './listener-limits.ts';
import { LingeringSockets } from './lingering-sockets.ts';
import type { Mount } from './mount.ts';
import { MountedRequests } from './mounted-requests.ts';
import { Newcomers } from './newcomers.ts';
import { guardParser, type ParserGuard } from './parser-guard.ts';
import type { RawSocketLimiter } from './raw-socket-limiter.ts';
import { createServerOptions, KEEP_ALIVE_MS } from './server-options.ts';
import { Unanswered } from './unanswered.ts';

// An import statement would touch every export, and some of them load Node's fetch: 7 MB and 100 ms for nothing.
const { createServer } = createRequire(import.meta.url)('node:http') as Pick<typeof http, 'createServer'>;

/** Requests of one connection that may be unanswered at once; a client that waits for its answers has one. */
const MAX_UNANSWERED = 8;

/** Of an inherited socket, which the one who made it has bounded too; the kernel takes at most `net.core.somaxconn`. */
const MAX_BACKLOG = 65_535;

const BAD_REQUEST = '400 Bad Request';
const NOT_FOUND = '404 Not Found';
const HEADERS_TOO_LARGE = '431 Request Header Fields Too Large';

/** What the listener hands on. */
export interface ListenerHandlers {
  readonly limiter: RawSocketLimiter;
  /** Hears of a connection that the listener has destroyed. */
  onDrop(drop: ConnectionDropped): void;
  /** Whether a plain request is to be answered; its connection is destroyed when not. */
  admits(request: IncomingMessage): boolean;
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  /** Without it, no upgrade is ever made: offers are answered as plain requests. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
  /** Who answers requests in place of `admits` and `onRequest`; the first that owns one has it. @default [] */
  readonly mounts?: readonly Mount[];
  /** Hears of what a mount threw. It may hold anything: do not log its message. @default nobody hears */
  readonly onMountFault?: (error: unknown) => void;
}

/** What times and bounds a listener. */
export interface ListenerContext {
  readonly limits: ListenerLimits;
  readonly clock: Clock;
  /** A listening TCP socket that the process has inherited. @default it opens one of its own */
  readonly listenFd?: number | undefined;
}

/** Node gives a path or nothing for what is no TCP socket. */
function isTcp(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

/** The one HTTP server: bounds connections, slow heads and requests, and tells requests from upgrades. */
export class Listener {
  readonly #timing: EndTiming;
  readonly #listenFd: number | undefined;
  /** Of an inherited socket. */
  readonly #newcomers: Newcomers | undefined;
  readonly #handlers: ListenerHandlers;
  readonly #server: Server;
  readonly #unanswered = new Unanswered();
  readonly #lingering: LingeringSockets;
  readonly #mounted: MountedRequests;
  /** Upgrades that come too early: they are answered in their turn, as plain requests are. */
  readonly #earlyUpgrades = new WeakSet<IncomingMessage>();
  /** Connections that end with the answers they wait for. */
  readonly #over = new WeakSet<Socket>();
  /** One for all connections: an idle one should cost little. */
  readonly #guard: ParserGuard = {
    mayAnswer: (socket) => this.#mayAnswer(socket),
    isOver: (socket) => this.#over.has(socket),
  };

  constructor({ limits, clock, listenFd }: ListenerContext, handlers: ListenerHandlers) {
    this.#timing = { limits, clock };
    this.#listenFd = listenFd;
    this.#newcomers = listenFd === undefined ? undefined : new Newcomers(clock);
    this.#handlers = handlers;
    this.#lingering = new LingeringSockets(this.#timing);
    const mounted = {
      mounts: handlers.mounts ?? [],
      onFault: (error: unknown) => handlers.onMountFault?.(error),
    };
    this.#mounted = new MountedRequests(mounted, this.#lingering);
    this.#server = createServer(createServerOptions(limits, (request) => this.#shouldUpgrade(request)));
    // No byte in either direction: a peer may have stopped to take its answers, too.
    this.#server.timeout = Math.max(KEEP_ALIVE_MS, limits.handshakeMs);
    this.#listenToServer();
  }

  /** Resolves once the port is open, or the inherited socket taken; rejects with Node's listen error. */
  async listen(host: string, port: number): Promise<void> {
    const fd = this.#listenFd;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(fd === undefined ? { host, port } : { fd, backlog: MAX_BACKLOG }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    // A Unix socket listens as well, but its peers have no address to count them by.
    if (!isTcp(this.#server.address())) {
      await this.close();
      throw Object.assign(new Error('not a TCP socket'), { code: 'EAFNOSUPPORT' });
    }
  }

  /** Where it listens. */
  address(): { readonly host: string; readonly port: number } {
    const address = this.#server.address();
    if (!isTcp(address)) throw new Error('the server is not listening');
    return { host: address.address, port: address.port };
  }

  /**
   * Leaves an inherited socket to whoever else holds it: who connects from now on waits there for the next process.
   * Connections that are there stay; resolves when each has had an answer, or the chance to ask. Does nothing to a port
   * of its own, where they would be refused.
   */
  async handOver(): Promise<void> {
    if (this.#newcomers === undefined) return;
    // Of http's server, close would end idle connections too: a request may be on its way on one.
    TcpServer.prototype.close.call(this.#server);
    await this.#newcomers.whenEmpty();
  }

  /** Accepts no more connections. Resolves when all are gone. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      // The only error is "not running", which is what was asked for.
      this.#server.close(() => resolve());
    });
  }

  #listenToServer(): void {
    const server = this.#server;
    const answer = (request: IncomingMessage, response: ServerResponse): void =>
      this.#answer(request, response, 'nothing');
    server.on('request', answer);
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
      this.#answer(request, response, 'continue'),
    );
    server.on('checkExpectation', answer);
    server.on('connection', (socket: Socket) => this.#accept(socket));
    server.on('connect', (request: IncomingMessage, socket: Socket) => {
      if (this.#handlers.admits(request)) this.#giveLastAnswer(socket, NOT_FOUND);
      else socket.destroy();
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
      this.#answerClientError(error, socket),
    );
    const { onUpgrade } = this.#handlers;
    if (onUpgrade === undefined) return;
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#newcomers?.delete(socket);
      // Where Node has no shouldUpgradeCallback.
      if (this.#unanswered.count(socket) > 0) this.#giveLastAnswer(socket, BAD_REQUEST);
      else onUpgrade(request, socket, head);
    });
  }

  #accept(socket: Socket): void {
    this.#newcomers?.add(socket);
    this.#handlers.limiter.accept(socket);
    guardParser(socket, this.#guard);
  }

  #mayAnswer(socket: Socket): boolean {
    if (this.#lingering.has(socket)) return false;
    if (this.#over.has(socket)) {
      socket.destroy();
      return false;
    }
    if (this.#unanswered.count(socket) < MAX_UNANSWERED) return true;
    const ip = normaliseIp(socket.remoteAddress ?? '') ?? UNKNOWN_IP;
    const detail = `pipelining: more than ${MAX_UNANSWERED} requests wait for their answers`;
    this.#handlers.onDrop({ ip, cause: 'pipelining', detail });
    socket.destroy();
    return false;
  }

  /** Whoever is upgraded leaves http, and the answers that wait there would be lost. */
  #shouldUpgrade(request: IncomingMessage): boolean {
    if (this.#handlers.onUpgrade === undefined || !offersWebSocket(request.headers)) return false;
    if (this.#unanswered.count(request.socket) === 0) return true;
    this.#earlyUpgrades.add(request);
    return false;
  }

  #answer(request: IncomingMessage, response: ServerResponse, expectation: 'continue' | 'nothing'): void {
    const { socket, headers, httpVersion } = request;
    const lacksHost = httpVersion === '1.1' && headers.host === undefined;
    const isRefused = lacksHost || this.#earlyUpgrades.has(request);
    const mount = isRefused || offersWebSocket(headers) ? undefined : this.#mounted.find(request);
    if (mount === undefined && !this.#handlers.admits(request)) {
      socket.destroy();
      return;
    }
    this.#unanswered.add(socket, response);
    if (this.#newcomers !== undefined) response.once('close', () => this.#newcomers?.delete(socket));
    if (mount !== undefined) {
      // Behind other answers Node would write it into the middle of this one; and whoever pipelines sends the body anyway
      // (RFC 9110 section 10.1.1: a server may leave it out once some of the body has come).
      if (expectation === 'continue' && this.#unanswered.count(socket) === 1) response.writeContinue();
      this.#mounted.handle(mount, request, response);
      return;
    }
    if (isRefused) {
      this.#endAfter(response);
      response.writeHead(400, { 'cache-control': 'no-store', 'content-length': 0 }).end();
      return;
    }
    // Each piece of such a body would be handled on its own, and nobody wants it.
    if (headers['transfer-encoding'] !== undefined) this.#endAfter(response);
    // Nobody waits for what a client expects here: the answer is there before the body.
    this.#handlers.onRequest(request, response);
  }

  /** What comes behind this request is not read. */
  #endAfter(response: ServerResponse): void {
    const { socket } = response.req;
    this.#over.add(socket);
    response.setHeader('connection', 'close');
    destroyInTime(socket, this.#timing);
  }

  /** Not HTTP, a head beyond all bounds, or none in time. */
  #answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    // Its stream is cut for the parser, not for the peer.
    if (this.#lingering.has(socket) && !isLate) return;
    if (isLate || !socket.writable || this.#over.has(socket)) socket.destroy();
    else this.#giveLastAnswer(socket, error.code === 'HPE_HEADER_OVERFLOW' ? HEADERS_TOO_LARGE : BAD_REQUEST);
  }

  /** Of several unanswered requests, only the first has its answer in the socket; no other answer may overtake it. */
  #giveLastAnswer(socket: Socket, status: string): void {
    if (this.#unanswered.count(socket) > 1) socket.destroy();
    else giveLastAnswer(socket, status, this.#timing);
  }
}
