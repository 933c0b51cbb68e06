import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** Node's own view of a socket: the only way to stop reading below TLS and HTTP/2, where PINGs are answered. */
interface SocketWithHandle {
  readonly _handle?: { readStop(): number } | null;
}

/** How many streams a connection may open: one before the first accepted token, then more, as Apple does it. */
export interface StreamLimits {
  readonly first: number;
  readonly later: number;
}

/** What a test sees of a connection. */
export interface SessionView {
  /** 1 for the first connection of the server. */
  readonly id: number;
  readonly openStreams: number;
  /** The most streams that were ever open at once. */
  readonly maxOpenStreams: number;
  /** Requests that arrived with headers and body. */
  readonly requestCount: number;
  /** PINGs received; those of a black hole are not seen. */
  readonly pingCount: number;
  /** Whether a token was accepted on it. */
  readonly isProven: boolean;
  readonly isBlackHole: boolean;
}

/** How long a connection stays after GOAWAY once nothing is left to answer on it, in ms. */
const LINGER_MS = 100;

/** Whether GOAWAY was sent: with code 0 what is open may finish, with any other nothing will. */
type Leaving = 'no' | 'in-peace' | 'in-anger';

/** One connection: its HTTP/2 session, and the TCP socket below it for the faults HTTP/2 cannot show. */
export class Connection implements SessionView {
  readonly id: number;
  readonly #session: ServerHttp2Session;
  readonly #socket: Socket;
  #limits: StreamLimits;
  #openStreams = 0;
  #maxOpenStreams = 0;
  #isProven = false;
  #isBlackHole = false;
  #leaving: Leaving = 'no';
  #linger: NodeJS.Timeout | undefined;
  requestCount = 0;
  pingCount = 0;

  constructor(id: number, session: ServerHttp2Session, socket: Socket, limits: StreamLimits) {
    this.id = id;
    this.#session = session;
    this.#socket = socket;
    this.#limits = limits;
    session.on('ping', () => {
      this.pingCount += 1;
    });
    session.on('close', () => clearTimeout(this.#linger));
  }

  get openStreams(): number {
    return this.#openStreams;
  }

  get maxOpenStreams(): number {
    return this.#maxOpenStreams;
  }

  get isProven(): boolean {
    return this.#isProven;
  }

  get isBlackHole(): boolean {
    return this.#isBlackHole;
  }

  opened(): void {
    this.#openStreams += 1;
    this.#maxOpenStreams = Math.max(this.#maxOpenStreams, this.#openStreams);
  }

  closed(): void {
    this.#openStreams -= 1;
    this.#leaveIfDone();
  }

  /** A token was accepted: from now on the connection may open as many streams as the server allows. */
  prove(): void {
    if (this.#isProven) return;
    this.#isProven = true;
    if (this.#limits.first !== this.#limits.later) this.#announce(this.#limits.later);
  }

  /** Announces a new limit at once. */
  limit(maxConcurrentStreams: number): void {
    this.#limits = { first: maxConcurrentStreams, later: maxConcurrentStreams };
    this.#announce(maxConcurrentStreams);
  }

  resetTcp(): void {
    this.#socket.resetAndDestroy();
  }

  finTcp(): void {
    this.#socket.destroySoon();
  }

  enterBlackHole(): void {
    this.#isBlackHole = true;
    (this.#socket as SocketWithHandle)._handle?.readStop();
  }

  /** GOAWAY with `lastStreamId` as the last stream that was or may be processed; the connection ends after it. */
  goAway(code: number, lastStreamId: number | undefined, reason: string): void {
    this.#session.goaway(code, lastStreamId, Buffer.from(JSON.stringify({ reason })));
    this.#leaving = code === 0 && this.#leaving !== 'in-anger' ? 'in-peace' : 'in-anger';
    this.#leaveIfDone();
  }

  destroy(): void {
    this.#session.destroy();
    this.#socket.destroy();
  }

  /** Whoever says GOAWAY also hangs up (RFC 9113 §6.8); after it Node does not even notice that the client does. */
  #leaveIfDone(): void {
    if (this.#leaving === 'no' || this.#isBlackHole) return;
    if (this.#leaving === 'in-peace' && this.#openStreams > 0) return;
    this.#linger ??= setTimeout(() => this.finTcp(), LINGER_MS);
  }

  #announce(maxConcurrentStreams: number): void {
    if (!this.#session.closed && !this.#session.destroyed) this.#session.settings({ maxConcurrentStreams });
  }
}
