import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientIp, readBody } from '@openchambery/daemon';
import type { Clock, Mount, Timer } from '@openchambery/daemon';
import type { Answer, RequestMessage, ToWorker } from './messages.ts';
import { OWN_ANSWERS } from './own-answers.ts';
import { Places } from './places.ts';
import type { RequestBudget } from './request-budget.ts';

/** The way to the worker. */
export interface PushLine {
  /** Whether the worker takes requests. */
  readonly isRunning: boolean;
  post(message: ToWorker): void;
  /** Lets the worker finish what it has. */
  close(): Promise<void>;
}

/** What a {@link PushGateway} needs. */
export interface PushGatewayOptions {
  readonly line: PushLine;
  readonly clock: Clock;
  /** Whether `X-Forwarded-For` says who a client is. */
  readonly trustProxy: 'trust' | 'ignore';
  /** Who of all that ask may ask once more. */
  readonly budget: Pick<RequestBudget, 'admits'>;
}

/** Requests that the worker may know of at once; each is at most its body and three messages that wait. */
const MAX_PLACES = 1024;
/** Of these, the share of one IP: nobody can shut the others out with slow bodies. */
const MAX_PLACES_PER_IP = 64;
/** A body has this long to arrive once the worker wants it, in ms; the contract allows 16 KiB. */
const BODY_MS = 15_000;
/** How long the worker may take for an answer, the time it waits for the body not counted, in ms. */
const ANSWER_MS = 30_000;
/**
 * What the worker has not answered this long after the shutdown began is refused, in ms: deliveries end within 5.5 s,
 * and the relay's listener waits for 6.
 */
const DRAIN_MS = 5800;
const PATHS = '/v1/push/';

/** A request whose client waits for the answer. */
interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Ends the wait for the worker, or for the body that the worker waits for. */
  timer: Timer;
  isBodyAsked: boolean;
}

/** The relay's side of push: hands requests to the worker and writes its answers, and does nothing else. */
export class PushGateway implements Mount {
  readonly #options: PushGatewayOptions;
  readonly #places = new Places({ maxPlaces: MAX_PLACES, maxPlacesPerIp: MAX_PLACES_PER_IP });
  readonly #waiting = new Map<number, Waiting>();
  readonly #onIdle: (() => void)[] = [];
  #lastId = 0;
  #isDraining = false;

  constructor(options: PushGatewayOptions) {
    this.#options = options;
  }

  /** Requests whose clients wait for an answer. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Whether a request is for push. */
  owns({ url = '' }: IncomingMessage): boolean {
    return url.startsWith(PATHS);
  }

  /** Hands a request to the worker, or answers it when that is not possible. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const { line, trustProxy, budget } = this.#options;
    const peerAddress = request.socket.remoteAddress;
    const forwardedFor = request.headers['x-forwarded-for'];
    const ip = clientIp({ peerAddress, forwardedFor, trustProxy });
    if (!budget.admits(ip)) return void request.socket.destroy();
    if (!line.isRunning) return write(response, this.#lostAnswer());
    const id = this.#lastId + 1;
    const place = this.#places.take(id, ip);
    if (place === 'full') return write(response, OWN_ANSWERS.rateLimited);
    this.#lastId = id;
    this.#waiting.set(id, { request, response, timer: this.#expectAnswer(id), isBodyAsked: false });
    response.once('close', () => this.#onClientGone(id));
    line.post({
      type: 'request',
      id,
      method: request.method ?? '',
      target: request.url ?? '',
      peerAddress,
      forwardedFor,
    });
  }

  /** Refuses from now on, and lets the worker finish; resolves when what is under way has its answers. */
  drain(): Promise<void> {
    this.#isDraining = true;
    void this.#options.line.close();
    if (this.#waiting.size === 0) return Promise.resolve();
    const timer = this.#options.clock.setTimer(() => this.#refuseAll(), DRAIN_MS);
    return new Promise((resolve) => {
      this.#onIdle.push(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  /** Takes what the worker says about a request; one that nobody waits for any more has lost its client. */
  onMessage(message: RequestMessage): void {
    switch (message.type) {
      case 'body-wanted':
        void this.#sendBody(message);
        break;
      case 'answer':
        this.#places.free(message.id);
        this.#finish(message.id, message);
        break;
      case 'forgotten':
        this.#places.free(message.id);
        break;
    }
  }

  /** The worker is gone, and with it the answers to what it had. */
  onLost(): void {
    this.#places.clear();
    this.#refuseAll();
  }

  #refuseAll(): void {
    for (const id of this.#waiting.keys()) this.#finish(id, this.#lostAnswer());
  }

  async #sendBody({ id, maxBytes }: { id: number; maxBytes: number }): Promise<void> {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined || waiting.isBodyAsked) return;
    const { request } = waiting;
    waiting.isBodyAsked = true;
    waiting.timer.cancel();
    // As Node does with a request that is late; that nobody waits for an answer then is told like any other end.
    waiting.timer = this.#options.clock.setTimer(() => request.socket.destroy(), BODY_MS);
    const body = await readBody(request, maxBytes);
    // The answer, or the end of worker or client, may have been faster.
    if (this.#waiting.get(id) !== waiting) return;
    waiting.timer.cancel();
    waiting.timer = this.#expectAnswer(id);
    this.#options.line.post({ type: 'body', id, body });
  }

  #expectAnswer(id: number): Timer {
    return this.#options.clock.setTimer(() => {
      this.#options.line.post({ type: 'gone', id });
      this.#finish(id, OWN_ANSWERS.internal);
    }, ANSWER_MS);
  }

  #onClientGone(id: number): void {
    if (this.#remove(id) !== undefined) this.#options.line.post({ type: 'gone', id });
  }

  #finish(id: number, answer: Answer): void {
    const waiting = this.#remove(id);
    if (waiting !== undefined) write(waiting.response, answer);
  }

  #remove(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    waiting?.timer.cancel();
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    return waiting;
  }

  #lostAnswer(): Answer {
    return this.#isDraining ? OWN_ANSWERS.shuttingDown : OWN_ANSWERS.internal;
  }
}

/** Throws when the worker has sent what HTTP does not allow. */
function write(response: ServerResponse, { status, headers, body }: Answer): void {
  // Whoever served the connection had to answer, or to end it, before us.
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // In one piece, so that Node says how long it is.
  response.end(body);
}
