import {
  answerPlainRequest,
  type ConnectionDropped,
  describeFault,
  Listener,
  type ListenerLimits,
  LogBudget,
  PlainRequestBudget,
  type PlainRequestLimits,
  RawSocketLimiter,
  type RawSocketLimits,
} from '@openchambery/daemon';
import { Answering } from './http/answering.ts';
import { createNodeHandler, isPushRequest } from './http/node-adapter.ts';
import { type PushOptions, type ResolvedPushOptions, resolvePushOptions } from './options/push-options.ts';
import { openStore, PushService } from './push-service.ts';
import type { PushSnapshot } from './push-snapshot.ts';

const LISTENER_LIMITS: ListenerLimits & RawSocketLimits & PlainRequestLimits = {
  handshakeMs: 10_000,
  // 16 KiB at most.
  requestMs: 15_000,
  maxUrlBytes: 4096,
  closeDeadlineMs: 5000,
  maxRawSockets: 4096,
  maxRawSocketsPerIp: 1024,
  admissionWindowMs: 60_000,
  maxAdmissionsPerIp: 120,
  maxAdmissionEntries: 10_000,
};
/** A proxy is one peer with everybody's connections. */
const TRUSTED_PROXY_LIMITS = { ...LISTENER_LIMITS, maxRawSocketsPerIp: LISTENER_LIMITS.maxRawSockets };
/** In place of the names of limits that an operator can set for a relay, and not for a push relay. */
const DROP_REASONS: Readonly<Partial<Record<ConnectionDropped['cause'], string>>> = {
  'raw-sockets': 'too many connections at once',
  'raw-sockets-per-ip': 'too many connections of one peer at once',
  'plain-rate': 'too many requests for other paths than those of the API in a minute',
};
/** Answers that are written have this long to be read at the end, in ms. */
const LAST_ANSWERS_MS = 1000;

/**
 * A push relay with a port of its own. Nothing is opened before `start`.
 * @throws {PushOptionError} when an option is not usable.
 */
export function createPushServer(options: PushOptions): PushServer {
  return new PushServer(resolvePushOptions(options));
}

/** A push relay in this process: made by `createPushServer`, started and closed once. */
export class PushServer {
  readonly #options: ResolvedPushOptions;
  readonly #drops: LogBudget<ConnectionDropped['cause']>;
  #running: Running | undefined;
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** Use `createPushServer`. */
  constructor(options: ResolvedPushOptions) {
    this.#options = options;
    this.#drops = new LogBudget(options.clock);
  }

  /**
   * Opens the database, then the port. Rejects with {@link PushStoreError}, or with Node's error (`EADDRINUSE`,
   * `EACCES`…).
   */
  start(): Promise<void> {
    if (this.#starting !== undefined) return refused('the push relay has been started before');
    if (this.#closing !== undefined) return refused('the push relay has been closed');
    this.#starting = this.#start();
    return this.#starting;
  }

  /** Where it listens; throws while it does not. */
  address(): { readonly host: string; readonly port: number } {
    if (this.#running === undefined) throw new Error('the push relay is not listening');
    return this.#running.listener.address();
  }

  /** What it holds; throws before it was started. */
  snapshot(): PushSnapshot {
    if (this.#running === undefined) throw new Error('the push relay has not been started');
    return this.#running.service.snapshot();
  }

  /**
   * Stops: stays reachable and answers 503 while deliveries under way finish, up to 5.5 s, then closes database and
   * port. Who connects meanwhile to an inherited socket waits for the next process. Calling it again gives the same promise.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #start(): Promise<void> {
    const service = new PushService(this.#options, openStore(this.#options));
    const running = this.#open(service);
    this.#running = running;
    try {
      await running.listener.listen(this.#options.host, this.#options.port);
    } catch (error) {
      await service.close();
      throw error;
    }
  }

  async #close(): Promise<void> {
    // Whether it comes up or not is for the caller of start to hear.
    await this.#starting?.catch(() => undefined);
    if (this.#running === undefined) return;
    const { service, listener, limiter, answering } = this.#running;
    const newcomersDone = listener.handOver();
    await service.close();
    await newcomersDone;
    const closed = listener.close();
    await answering.whenEmpty((resolve) => this.#options.clock.setTimer(resolve, LAST_ANSWERS_MS));
    await Promise.all([limiter.destroyAll(), closed]);
  }

  #open(service: PushService): Running {
    const { clock, trustProxy, logger, listenFd } = this.#options;
    const limits = trustProxy ? TRUSTED_PROXY_LIMITS : LISTENER_LIMITS;
    const context = { clock, limits, listenFd };
    const onDrop = (drop: ConnectionDropped): void => this.#reportDrop(drop);
    const limiter = new RawSocketLimiter(limits, onDrop);
    const budget = new PlainRequestBudget({ context, trustProxy: trustProxy ? 'trust' : 'ignore', onDrop });
    const answering = new Answering();
    const onMountFault = (error: unknown): void =>
      logger.error({ ...describeFault(error) }, 'a push request failed');
    const handle = createNodeHandler(service.fetch, onMountFault);
    const listener = new Listener(context, {
      limiter,
      onDrop,
      onMountFault,
      admits: (request) => budget.admits(request),
      onRequest: (request, response) =>
        answerPlainRequest(request, response, service.state === 'running' ? 'ready' : 'draining'),
      mounts: [
        {
          owns: isPushRequest,
          handle: (request, response) => {
            answering.add(response);
            handle(request, response);
          },
        },
      ],
    });
    return { service, listener, limiter, answering };
  }

  #reportDrop({ ip, cause, detail }: ConnectionDropped): void {
    const { write, suppressed } = this.#drops.take(cause);
    if (!write) return;
    const more = suppressed === 0 ? {} : { suppressed };
    this.#options.logger.warn(
      { ip, cause, reason: DROP_REASONS[cause] ?? detail, ...more },
      'connection dropped',
    );
  }
}

function refused(message: string): Promise<never> {
  return Promise.reject(new Error(message));
}

interface Running {
  readonly service: PushService;
  readonly listener: Listener;
  readonly limiter: RawSocketLimiter;
  readonly answering: Answering;
}
