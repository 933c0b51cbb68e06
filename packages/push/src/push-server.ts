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

/** A push relay is meant to be behind a proxy, which is one peer with many connections. */
const LISTENER_LIMITS: ListenerLimits & RawSocketLimits & PlainRequestLimits = {
  handshakeMs: 10_000,
  maxUrlBytes: 4096,
  closeDeadlineMs: 5000,
  maxRawSockets: 4096,
  maxRawSocketsPerIp: 4096,
  admissionWindowMs: 60_000,
  maxAdmissionsPerIp: 120,
  maxAdmissionEntries: 10_000,
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
  async start(): Promise<void> {
    if (this.#running !== undefined) throw new Error('the push relay has been started before');
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

  async #close(): Promise<void> {
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
    const context = { clock, limits: LISTENER_LIMITS, listenFd };
    const onDrop = (drop: ConnectionDropped): void => this.#reportDrop(drop);
    const limiter = new RawSocketLimiter(LISTENER_LIMITS, onDrop);
    const budget = new PlainRequestBudget({ context, trustProxy: trustProxy ? 'trust' : 'ignore', onDrop });
    const answering = new Answering();
    const handle = createNodeHandler(service.fetch, (error) => {
      logger.error({ ...describeFault(error) }, 'a push request failed');
    });
    const listener = new Listener(context, {
      limiter,
      onDrop,
      admits: (request) => budget.admits(request),
      onRequest: (request, response) =>
        answerPlainRequest(request, response, service.snapshot().state === 'running' ? 'ready' : 'draining'),
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
    this.#options.logger.warn({ ip, cause, reason: detail, ...more }, 'connection dropped');
  }
}

interface Running {
  readonly service: PushService;
  readonly listener: Listener;
  readonly limiter: RawSocketLimiter;
  readonly answering: Answering;
}
