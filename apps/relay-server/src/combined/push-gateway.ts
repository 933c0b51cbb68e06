import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '@openchambery/daemon';
import type { Clock, Mount, Timer } from '@openchambery/daemon';
import type { Answer, ToWorker } from './messages.ts';
import { OWN_ANSWERS } from './own-answers.ts';
import type { RequestMessage } from './push-thread.ts';

/** The way to the worker. */
export interface PushLine {
  /** Whether the worker takes requests. */
  readonly isRunning: boolean;
  post(message: ToWorker): void;
  /** Lets the worker finish what it has. */
  close(): Promise<void>;
}

/** Requests that may be under way at once; each holds at most its body. */
const MAX_UNDER_WAY = 1024;
/** How long the worker may take for an answer, the time it waits for the body not counted, in ms. */
const ANSWER_MS = 30_000;
/**
 * What the worker has not answered this long after the shutdown began is refused, in ms: deliveries end within 5.5 s,
 * and the relay's listener waits for 6.
 */
const DRAIN_MS = 5800;
const PATHS = '/v1/push/';

/** A request whose answer is awaited. */
interface UnderWay {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Ends the wait for the worker; undefined while the worker waits for the body. */
  timer: Timer | undefined;
  isBodyAsked: boolean;
}

/** The relay's side of push: hands requests to the worker and writes its answers, and does nothing else. */
export class PushGateway implements Mount {
  readonly #line: PushLine;
  readonly #clock: Clock;
  readonly #underWay = new Map<number, UnderWay>();
  readonly #onIdle: (() => void)[] = [];
  #lastId = 0;
  #isDraining = false;

  constructor(line: PushLine, clock: Clock) {
    this.#line = line;
    this.#clock = clock;
  }

  /** Requests under way. */
  get size(): number {
    return this.#underWay.size;
  }

  /** Whether a request is for push. */
  owns({ url = '' }: IncomingMessage): boolean {
    return url.startsWith(PATHS);
  }

  /** Hands a request to the worker, or answers it when that is not possible. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#line.isRunning) return write(response, this.#lostAnswer());
    if (this.#underWay.size >= MAX_UNDER_WAY) return write(response, OWN_ANSWERS.rateLimited);
    this.#lastId += 1;
    const id = this.#lastId;
    this.#underWay.set(id, { request, response, timer: this.#expectAnswer(id), isBodyAsked: false });
    response.once('close', () => this.#onClientGone(id));
    this.#line.post({
      type: 'request',
      id,
      method: request.method ?? '',
      target: request.url ?? '',
      peerAddress: request.socket.remoteAddress,
      forwardedFor: request.headers['x-forwarded-for'],
    });
  }

  /** Refuses from now on, and lets the worker finish; resolves when what is under way has its answers. */
  drain(): Promise<void> {
    this.#isDraining = true;
    void this.#line.close();
    if (this.#underWay.size === 0) return Promise.resolve();
    const timer = this.#clock.setTimer(() => this.onLost(), DRAIN_MS);
    return new Promise((resolve) => {
      this.#onIdle.push(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  /** Takes what the worker says about a request; one that is not known any more has lost its client. */
  onMessage(message: RequestMessage): void {
    const underWay = this.#underWay.get(message.id);
    if (underWay === undefined) return;
    switch (message.type) {
      case 'body-wanted':
        void this.#sendBody(underWay, message);
        break;
      case 'answer':
        this.#finish(message.id, message);
        break;
    }
  }

  /** The worker is gone, and with it the answers to what it had. */
  onLost(): void {
    for (const id of this.#underWay.keys()) this.#finish(id, this.#lostAnswer());
  }

  async #sendBody(underWay: UnderWay, { id, maxBytes }: { id: number; maxBytes: number }): Promise<void> {
    if (underWay.isBodyAsked) return;
    underWay.isBodyAsked = true;
    underWay.timer?.cancel();
    underWay.timer = undefined;
    const body = await readBody(underWay.request, maxBytes);
    // The answer, or the end of worker or client, may have been faster.
    if (this.#underWay.get(id) !== underWay) return;
    underWay.timer = this.#expectAnswer(id);
    this.#line.post({ type: 'body', id, body });
  }

  #expectAnswer(id: number): Timer {
    return this.#clock.setTimer(() => {
      this.#line.post({ type: 'gone', id });
      this.#finish(id, OWN_ANSWERS.internal);
    }, ANSWER_MS);
  }

  #onClientGone(id: number): void {
    if (this.#remove(id) !== undefined) this.#line.post({ type: 'gone', id });
  }

  #finish(id: number, answer: Answer): void {
    const underWay = this.#remove(id);
    if (underWay !== undefined) write(underWay.response, answer);
  }

  #remove(id: number): UnderWay | undefined {
    const underWay = this.#underWay.get(id);
    underWay?.timer?.cancel();
    this.#underWay.delete(id);
    if (this.#underWay.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    return underWay;
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
