import { rm } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import type {
  Http2SecureServer,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoopbackCertificate } from './certificates.ts';
import { Connection, type SessionView } from './connection.ts';
import { Door } from './door.ts';
import type { AcceptMode } from './door.ts';
import type { FakeServiceOptions } from './options.ts';
import type { Reaction } from './reaction.ts';
import type { ReactionScript } from './reaction-script.ts';
import type { RequestLog } from './request-log.ts';
import type { RecordedRequest } from './request-log.ts';

/** Who takes requests to their end. */
export interface Desk {
  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Connection): void;
  /** Forgets answers that are still to come. */
  close(): void;
}

/** What a {@link FakeService} is made of. */
export interface FakeServiceParts {
  readonly options: FakeServiceOptions;
  readonly certificate: LoopbackCertificate;
  /** Removed with everything in it by `close`. */
  readonly folder: string;
  readonly log: RequestLog;
  readonly script: ReactionScript;
  readonly desk: Desk;
}

/** Of a socket that was reset below its TLS, Node does not always tell the end. In ms. */
const GONE_MS = 1000;

/** What `goAway` sends, and to whom. */
export interface GoAwayOptions {
  /** Error code of RFC 9113 §7. @default 0 */
  readonly code?: number;
  /** @default the last stream the connection has opened */
  readonly lastStreamId?: number;
  /** @default 'Shutdown' */
  readonly reason?: string;
  /** The id of a connection. @default all of them */
  readonly session?: number;
}

/** A push service over HTTP/2 that does what a test tells it; what its requests look like its desk knows. */
export class FakeService {
  /** The PEM of the CA that clients have to trust. */
  readonly caPem: string;
  /** The same as a file, for NODE_EXTRA_CA_CERTS; `close` removes it. */
  readonly caFile: string;
  readonly #host: string;
  readonly #folder: string;
  readonly #server: Http2SecureServer;
  readonly #door: Door;
  readonly #log: RequestLog;
  readonly #script: ReactionScript;
  readonly #desk: Desk;
  /** By remote port: the TCP socket of a connection that may still be shaking hands. */
  readonly #sockets = new Map<number, Socket>();
  readonly #connections = new Map<ServerHttp2Session, Connection>();
  #limits: { first: number; later: number };
  #openSessionsTotal = 0;
  #pingsOfTheGone = 0;
  #handshakeFaultCount = 0;
  #streamFaultCount = 0;

  constructor({ options, certificate, folder, log, script, desk }: FakeServiceParts) {
    const { host = '127.0.0.1', port = 0, firstStreams = 1, maxConcurrentStreams = 1000 } = options;
    this.#host = host;
    this.#folder = folder;
    this.caPem = certificate.caPem;
    this.caFile = join(folder, 'ca.pem');
    this.#limits = { first: Math.min(firstStreams, maxConcurrentStreams), later: maxConcurrentStreams };
    this.#log = log;
    this.#script = script;
    this.#desk = desk;
    this.#server = createSecureServer({
      cert: certificate.certPem,
      key: certificate.keyPem,
      minVersion: 'TLSv1.2',
      settings: { maxConcurrentStreams: this.#limits.first },
    });
    this.#server.on('session', (session) => this.#meet(session));
    this.#server.on('stream', (stream, headers) => this.#serve(stream, headers));
    this.#server.on('tlsClientError', () => (this.#handshakeFaultCount += 1));
    this.#door = new Door(host, port, (socket) => this.#enter(socket));
  }

  /** `https://host:port` without a path. */
  get url(): string {
    const host = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
    return `https://${host}:${this.#door.port}`;
  }

  get port(): number {
    return this.#door.port;
  }

  /** The latest requests in order; their answers fill in as they are given. */
  get requests(): readonly RecordedRequest[] {
    return this.#log.list();
  }

  /** Requests ever recorded. */
  get requestsTotal(): number {
    return this.#log.total;
  }

  /** Live connections that have shaken hands, oldest first. */
  get sessions(): readonly SessionView[] {
    return [...this.#connections.values()];
  }

  /** Connections that ever shook hands. */
  get openSessionsTotal(): number {
    return this.#openSessionsTotal;
  }

  /** PINGs received on all connections. */
  get pings(): number {
    return this.sessions.reduce((sum, { pingCount }) => sum + pingCount, this.#pingsOfTheGone);
  }

  /** TLS handshakes that failed. */
  get handshakeFaultCount(): number {
    return this.#handshakeFaultCount;
  }

  /** Streams and connections that ended with an error on this side. */
  get streamFaultCount(): number {
    return this.#streamFaultCount;
  }

  /** Requests for `token` so far. */
  count(token: string): number {
    return this.#log.count(token);
  }

  /** Resolves when `total` requests have been recorded since the start, and fails after `timeoutMs` (10 s). */
  waitForRequests(total: number, timeoutMs?: number): Promise<readonly RecordedRequest[]> {
    return this.#log.waitFor(total, timeoutMs);
  }

  /** The next request that no earlier call gave back; fails after `timeoutMs` (10 s). */
  nextRequest(timeoutMs?: number): Promise<RecordedRequest> {
    return this.#log.next(timeoutMs);
  }

  /** What happens to requests for `token`, in order; the last reaction stays. None: as if never scripted. */
  script(token: string, ...reactions: readonly Reaction[]): void {
    this.#script.script(token, reactions);
  }

  /** What happens to all tokens without a script of their own. */
  scriptAll(reaction: Reaction | undefined): void {
    this.#script.scriptAll(reaction);
  }

  /** What happens to the next request, whatever its token; several queue up. */
  scriptOnce(reaction: Reaction): void {
    this.#script.scriptOnce(reaction);
  }

  /** Forgets all scripts. */
  resetScripts(): void {
    this.#script.reset();
  }

  /** Announces a new stream limit on all connections, and on new ones from their start. */
  setMaxConcurrentStreams(limit: number): void {
    this.#limits = { first: limit, later: limit };
    this.#server.updateSettings({ maxConcurrentStreams: limit });
    for (const connection of this.#connections.values()) connection.limit(limit);
  }

  /** Sends GOAWAY; connections end once nothing is open on them, with a code other than 0 a moment later in any case. */
  goAway(options: GoAwayOptions = {}): void {
    const { code = 0, lastStreamId, reason = 'Shutdown', session } = options;
    for (const connection of this.#connections.values()) {
      if (session === undefined || connection.id === session) connection.goAway(code, lastStreamId, reason);
    }
  }

  /** How connections from now on are met. @see AcceptMode */
  async accept(mode: AcceptMode): Promise<void> {
    await this.#door.setMode(mode);
  }

  /** Ends everything and removes the CA file. */
  async close(): Promise<void> {
    this.#door.close();
    this.#desk.close();
    const gone = [...this.#sockets.values()].map(
      (socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve())),
    );
    for (const connection of this.#connections.values()) connection.destroy();
    for (const socket of this.#sockets.values()) socket.destroy();
    await Promise.race([Promise.all(gone), delay(GONE_MS)]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** @internal */
  async listen(): Promise<void> {
    await this.#door.listen();
  }

  #enter(socket: Socket): void {
    const { remotePort = 0 } = socket;
    this.#sockets.set(remotePort, socket);
    socket.on('close', () => {
      // The port may have been used again since.
      if (this.#sockets.get(remotePort) === socket) this.#sockets.delete(remotePort);
    });
    socket.on('error', () => (this.#streamFaultCount += 1));
    this.#server.emit('connection', socket);
  }

  #meet(session: ServerHttp2Session): void {
    const socket = this.#sockets.get(session.socket.remotePort ?? 0);
    if (socket === undefined) {
      session.destroy();
      return;
    }
    this.#openSessionsTotal += 1;
    const connection = new Connection(this.#openSessionsTotal, session, socket, this.#limits);
    this.#connections.set(session, connection);
    session.on('error', () => (this.#streamFaultCount += 1));
    session.on('close', () => {
      this.#pingsOfTheGone += connection.pingCount;
      this.#connections.delete(session);
    });
  }

  #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on('error', () => (this.#streamFaultCount += 1));
    const connection =
      stream.session === undefined ? undefined : this.#connections.get(stream.session as ServerHttp2Session);
    if (connection === undefined) stream.close();
    else this.#desk.take(stream, headers, connection);
  }
}
