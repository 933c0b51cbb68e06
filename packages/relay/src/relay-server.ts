import { EventEmitter } from 'node:events';
import {
  answerPlainRequest,
  Listener,
  PlainRequestBudget,
  RawSocketLimiter,
  type ConnectionDropped,
  type Mounted,
} from '@openchambery/daemon';
import { createRelayParts, type RelayParts } from './create-relay-parts.ts';
import { Lifecycle } from './lifecycle.ts';
import type { RelayEventMap } from './observe/events.ts';
import { takeSnapshot, type RelaySnapshot } from './observe/snapshot.ts';
import { resolveRelayOptions, type RelayServerOptions, type ResolvedRelayOptions } from './options.ts';
import { handleUpgrade, type UpgradePath } from './upgrade/handle-upgrade.ts';

/**
 * A Layer 1 relay.
 * @throws {RelayOptionError} when an option is not usable.
 */
export function createRelayServer(options: RelayServerOptions = {}): RelayServer {
  return new RelayServer(resolveRelayOptions(options));
}

/** A Layer 1 relay in this process: made by `createRelayServer`, started and closed once. */
export class RelayServer extends EventEmitter<RelayEventMap> {
  readonly #options: ResolvedRelayOptions;
  readonly #parts: RelayParts;
  readonly #limiter: RawSocketLimiter;
  readonly #mounted: Mounted;
  readonly #listener: Listener;
  readonly #lifecycle: Lifecycle;

  /** Use `createRelayServer`. */
  constructor(options: ResolvedRelayOptions) {
    super();
    this.#options = options;
    this.#parts = createRelayParts(options, { emitter: this });
    const { context } = this.#parts;
    this.#limiter = new RawSocketLimiter(options.limits, (drop) => this.#onDrop(drop));
    this.#mounted = { mounts: options.mounts, onFault: (error) => this.#onMountFault(error) };
    this.#listener = this.#createListener();
    this.#lifecycle = new Lifecycle({
      context,
      listener: this.#listener,
      limiter: this.#limiter,
      refused: this.#parts.refused,
      mounted: this.#mounted,
    });
  }

  /** Opens the port, or takes the inherited socket. Rejects with Node's error (`EADDRINUSE`, `EINVAL`…) when it cannot. */
  start(): Promise<void> {
    return this.#lifecycle.start(this.#options.host, this.#options.port);
  }

  /** Where the relay listens; throws while it does not. */
  address(): { readonly host: string; readonly port: number } {
    return this.#listener.address();
  }

  /**
   * Stops: no new sockets, what waits is flushed where peers read, everybody gets a close frame with 1012 and
   * time to answer; mounts have 6 s to finish. Who connects meanwhile hears the same, or with an inherited socket waits
   * for the next process. Resolves when all is gone, within 10 s. Calling it again gives the same promise.
   */
  close(): Promise<void> {
    return this.#lifecycle.close();
  }

  /** What the relay holds now. */
  snapshot(): RelaySnapshot {
    return takeSnapshot(this.#parts, { state: this.#lifecycle.state, rawSockets: this.#limiter.size });
  }

  #createListener(): Listener {
    const { context, gatekeeper, refused } = this.#parts;
    const trustProxy = this.#options.trustProxy ? 'trust' : 'ignore';
    const onDrop = (drop: ConnectionDropped): void => this.#onDrop(drop);
    const budget = new PlainRequestBudget({ context, trustProxy, onDrop });
    const path: UpgradePath = {
      context,
      gatekeeper,
      refused,
      limiter: this.#limiter,
      trustProxy,
      isDraining: () => this.#lifecycle.state !== 'listening',
    };
    const { limits, clock } = context;
    return new Listener(
      { limits, clock, listenFd: this.#options.listenFd },
      {
        limiter: this.#limiter,
        onDrop,
        admits: (request) => budget.admits(request),
        onRequest: (request, response) =>
          answerPlainRequest(request, response, this.#lifecycle.state === 'listening' ? 'ready' : 'draining'),
        onUpgrade: (request, socket, head) => handleUpgrade({ request, socket, head }, path),
        mounts: this.#mounted.mounts,
        onMountFault: (error) => this.#mounted.onFault(error),
      },
    );
  }

  #onMountFault(error: unknown): void {
    const { counters, report } = this.#parts.context;
    counters.countMountFault();
    report.mountFault(error);
  }

  #onDrop(drop: ConnectionDropped): void {
    const { counters, report } = this.#parts.context;
    counters.countDroppedConnection();
    report.connectionDropped(drop);
  }
}
