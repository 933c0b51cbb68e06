import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Timer } from '@openchambery/daemon';
import type { Answer } from './answer.ts';
import type { Delivery } from './delivery.ts';
import type { OutgoingRequest } from './dialect.ts';
import { Exchange, type ExchangeOwner } from './exchange.ts';
import { classifyLoss, type GoAway } from './loss.ts';
import { openSocket, speaksHttp2 } from './open-socket.ts';
import { Pulse } from './pulse.ts';
import type { SessionContext } from './session-context.ts';
import { type Listen, listenFor, type StreamOwner } from './stream-listeners.ts';

/**
 * - connecting: TCP and TLS.
 * - open: takes pushes while its pulse is calm.
 * - draining: takes no more; ends with its last push.
 * - ended: gone, or going; streams that were on it may still have to close.
 */
type State =
  | { readonly kind: 'connecting'; readonly timer: Timer }
  | { readonly kind: 'open'; readonly pulse: Pulse }
  | { readonly kind: 'draining' }
  | { readonly kind: 'ended' };

/** One HTTP/2 connection to the service (RFC 9113). */
export class Session implements StreamOwner, ExchangeOwner {
  /** Resolves when its socket is closed. */
  readonly closed: Promise<void>;
  readonly #context: SessionContext;
  readonly #socket: Socket;
  readonly #http2: ClientHttp2Session;
  readonly #listen: Listen;
  readonly #exchanges = new Map<ClientHttp2Stream, Exchange>();
  #state: State;
  /** Streams the peer allows at once, until its SETTINGS say more: Apple's service allows one. */
  #maxStreams = 1;
  #goAway: GoAway | undefined;
  #ownEnd: string | undefined;
  #cause = 'closed by the peer';
  #isProven = false;

  constructor(context: SessionContext) {
    this.#context = context;
    const { url, options } = context;
    const socket = openSocket(url, options.ca);
    this.#socket = socket;
    this.#listen = listenFor(this);
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', (error) => this.#note(error));
    const http2 = connect(url, { createConnection: () => socket, settings: { enablePush: false } });
    this.#http2 = http2;
    http2.on('connect', () => this.#onConnect());
    http2.on('remoteSettings', (settings) => this.#onSettings(settings.maxConcurrentStreams));
    http2.on('goaway', (code, lastStreamId, data) => this.#onGoAway({ code, lastStreamId }, data));
    http2.on('frameError', () => this.#drain());
    http2.on('error', (error) => this.#note(error));
    http2.on('close', () => this.#end());
    const { clock, connectTimeoutMs } = options;
    this.#state = {
      kind: 'connecting',
      timer: clock.setTimer(() => this.terminate('connect-timeout'), connectTimeoutMs),
    };
  }

  get streamCount(): number {
    return this.#exchanges.size;
  }

  get isConnecting(): boolean {
    return this.#state.kind === 'connecting';
  }

  /** Whether the service behind it has ever dealt with a push. */
  get isProven(): boolean {
    return this.#isProven;
  }

  /** Why it ended, as a short code. */
  get cause(): string {
    return this.#cause;
  }

  /** Whether a push can be sent now. */
  get hasRoom(): boolean {
    const state = this.#state;
    if (state.kind !== 'open' || state.pulse.isAsking) return false;
    // Node knows of an end before its events tell.
    if (this.#http2.closed || this.#http2.destroyed) return false;
    return this.#exchanges.size < this.#maxStreams;
  }

  /** To be called before {@link hasRoom}: after a long silence it has none until a PING is answered. */
  probe(): void {
    if (this.#state.kind === 'open') this.#state.pulse.probe();
  }

  /** Sends a push; only with {@link hasRoom}. */
  send(delivery: Delivery, { headers, body }: OutgoingRequest, bearer: string): void {
    const stream = this.#http2.request(headers, NOT_ENDED);
    this.#listen(stream);
    const { maxAnswerBytes } = this.#context.dialect;
    const sentAtMs = this.#context.options.clock.monotonicMs();
    const exchange = new Exchange({ delivery, stream, bearer, sentAtMs, maxAnswerBytes }, this);
    this.#exchanges.set(stream, exchange);
    delivery.sent(exchange);
    stream.end(body);
    // Stream ids are used up, after a billion pushes (RFC 9113 section 5.1.1).
    if (stream.id === undefined) this.#drain();
  }

  /** Ends it at once; what is on it is lost. */
  terminate(cause: string): void {
    if (this.#state.kind === 'ended') return;
    this.#ownEnd = cause;
    this.#cause = cause;
    this.#http2.destroy();
    this.#socket.destroy();
    this.#end();
  }

  onResponse(stream: ClientHttp2Stream, headers: IncomingHttpHeaders, flags: number): void {
    if (this.#state.kind === 'open') this.#state.pulse.heard();
    this.#exchanges.get(stream)?.onResponse(headers, flags);
  }

  onAnswer(exchange: Exchange, answer: Answer): void {
    // A service that is out of order may answer each connection once before it ends it.
    if (answer.status < 500) this.#isProven = true;
    this.#context.owner.onAnswer(this, exchange, answer);
  }

  onReleased(exchange: Exchange): void {
    if (this.#state.kind !== 'draining') return;
    this.#exchanges.delete(exchange.stream);
    this.#endIfDrained();
  }

  onSuspected(exchange: Exchange): void {
    if (this.#state.kind === 'open') this.#state.pulse.doubt(exchange.sentAtMs);
  }

  onClosed(stream: ClientHttp2Stream): void {
    const exchange = this.#exchanges.get(stream);
    if (exchange === undefined) return;
    this.#exchanges.delete(stream);
    this.#finish(exchange);
    if (this.#state.kind === 'draining') this.#endIfDrained();
    else if (this.#state.kind === 'open') this.#context.owner.onRoom(this);
  }

  #finish(exchange: Exchange): void {
    if (exchange.delivery === undefined) return;
    const answer = exchange.answer;
    if (answer !== undefined) {
      this.onAnswer(exchange, answer);
      return;
    }
    const { id, rstCode } = exchange.stream;
    const loss = classifyLoss({ id, rstCode, goAway: this.#goAway, ownEnd: this.#ownEnd });
    const delivery = exchange.release();
    if (delivery !== undefined) this.#context.owner.onLost(delivery, loss);
  }

  #onConnect(): void {
    if (this.#state.kind !== 'connecting') return;
    if (!speaksHttp2(this.#socket)) {
      this.terminate('no-http2');
      return;
    }
    this.#state.timer.cancel();
    const pulse = new Pulse({
      ...this.#context.options,
      ping: (onAnswered) => this.#ping(onAnswered),
      onAlive: () => this.#context.owner.onRoom(this),
      onDead: () => this.terminate('ping-timeout'),
    });
    this.#state = { kind: 'open', pulse };
    this.#context.owner.onRoom(this);
  }

  #ping(onAnswered: () => void): void {
    // Already gone: its close is on the way.
    if (this.#http2.destroyed) return;
    this.#http2.ping((error) => {
      if (error === null) onAnswered();
    });
  }

  #onSettings(maxConcurrentStreams: number | undefined): void {
    const { maxStreams } = this.#context.options;
    this.#maxStreams = Math.min(maxConcurrentStreams ?? maxStreams, maxStreams);
    if (this.#state.kind === 'open') this.#context.owner.onRoom(this);
  }

  /** @param data is missing when the frame has none, whatever the types of Node say. */
  #onGoAway(goAway: GoAway, data: Buffer | undefined): void {
    this.#goAway = goAway;
    const reason = data === undefined ? undefined : this.#context.dialect.goAwayReason(data);
    this.#cause = reason === undefined ? `goaway-${goAway.code}` : `goaway-${goAway.code} ${reason}`;
    this.#drain();
  }

  #drain(): void {
    const state = this.#state;
    if (state.kind === 'ended' || state.kind === 'draining') return;
    stopTimers(state);
    this.#state = { kind: 'draining' };
    for (const [stream, exchange] of this.#exchanges) {
      if (exchange.delivery === undefined) this.#exchanges.delete(stream);
    }
    this.#http2.close();
    this.#context.owner.onDraining(this);
    this.#endIfDrained();
  }

  #endIfDrained(): void {
    if (this.#exchanges.size === 0) this.terminate(this.#cause);
  }

  #note(error: Error): void {
    if (this.#ownEnd !== undefined || this.#goAway !== undefined) return;
    this.#cause = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  }

  /** Events of its streams may still follow, and are heard. */
  #end(): void {
    const state = this.#state;
    if (state.kind === 'ended') return;
    stopTimers(state);
    this.#state = { kind: 'ended' };
    this.#socket.destroy();
    this.#context.owner.onEnded(this);
  }
}

const NOT_ENDED = { endStream: false };

function stopTimers(state: State): void {
  if (state.kind === 'open') state.pulse.stop();
  else if (state.kind === 'connecting') state.timer.cancel();
}
