import { EventEmitter } from 'node:events';
import { createWireContext } from '@openchambery/wire';
import { Heartbeat } from './connection/heartbeat.ts';
import { SocketRegistry } from './connection/socket-registry.ts';
import { answerPlainRequest } from './http/health.ts';
import { Listener } from './http/listener.ts';
import { RawSocketLimiter } from './http/raw-socket-limiter.ts';
import { Lifecycle } from './lifecycle.ts';
import { Counters } from './observe/counters.ts';
import type { RelayEventMap } from './observe/events.ts';
import { Report } from './observe/report.ts';
import type { RelaySnapshot } from './observe/snapshot.ts';
import { resolveRelayOptions, type RelayServerOptions, type ResolvedRelayOptions } from './options.ts';
import type { RelayContext } from './relay-context.ts';
import { ConnectionIndex } from './routing/connection-index.ts';
import { HostRegistry } from './routing/host-registry.ts';
import { AdmissionTable } from './upgrade/admission.ts';
import { HostAuthenticator } from './upgrade/authenticate.ts';
import type { Gatekeeper } from './upgrade/decide.ts';
import { handleUpgrade, type UpgradePath } from './upgrade/handle-upgrade.ts';
import { RefusedSockets } from './upgrade/refused-sockets.ts';
import { ReplayCache } from './upgrade/replay-cache.ts';
import { createWireLimits } from './wire-limits.ts';

/** Verified keys that are kept for each Host that may be connected: those that come and go count too. */
const CACHED_KEYS_PER_HOST = 4;

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
  readonly #context: RelayContext;
  readonly #gatekeeper: Gatekeeper;
  readonly #replay: ReplayCache;
  readonly #refused: RefusedSockets;
  readonly #limiter: RawSocketLimiter;
  readonly #listener: Listener;
  readonly #lifecycle: Lifecycle;

  /** Use `createRelayServer`. */
  constructor(options: ResolvedRelayOptions) {
    super();
    this.#options = options;
    const { limits, clock } = options;
    this.#context = this.#createContext();
    this.#replay = new ReplayCache({ clock, replayMs: limits.replayMs, maxEntries: limits.maxReplayEntries });
    this.#gatekeeper = this.#createGatekeeper();
    this.#refused = new RefusedSockets(this.#context.wire);
    this.#limiter = new RawSocketLimiter(limits, () => this.#context.counters.countDroppedConnection());
    this.#listener = this.#createListener();
    this.#lifecycle = new Lifecycle({
      context: this.#context,
      listener: this.#listener,
      limiter: this.#limiter,
    });
  }

  /** Opens the port. Rejects with Node's error (`EADDRINUSE`, `EACCES`…) when it cannot. */
  start(): Promise<void> {
    return this.#lifecycle.start(this.#options.host, this.#options.port);
  }

  /** Where the relay listens; throws while it does not. */
  address(): { readonly host: string; readonly port: number } {
    return this.#listener.address();
  }

  /**
   * Stops: no new sockets, what waits is flushed where peers read, everybody gets a close frame with 1012 and
   * time to answer. Resolves when all is gone, within 10 s. Calling it again gives the same promise.
   */
  close(): Promise<void> {
    return this.#lifecycle.close();
  }

  /** What the relay holds now. */
  snapshot(): RelaySnapshot {
    const { sockets, hosts, connections, wire, counters } = this.#context;
    return {
      state: this.#lifecycle.state,
      rawSockets: this.#limiter.size,
      sockets: sockets.counts(),
      refusedSockets: this.#refused.size,
      hosts: hosts.size,
      hostsInGrace: hosts.graceSize,
      connections: connections.size,
      pendingClients: connections.pendingSize,
      queuedBytes: wire.budget.usedBytes,
      pausedSources: wire.pausedSources.size,
      admissionEntries: this.#gatekeeper.admission.size,
      replayEntries: this.#replay.size,
      totals: counters.totals(),
    };
  }

  #createContext(): RelayContext {
    const { limits, clock, randomBytes, logger } = this.#options;
    const wire = createWireContext({
      limits: createWireLimits(limits),
      budgetBytes: limits.maxGlobalQueuedBytes,
      clock,
    });
    const heartbeat = new Heartbeat({ clock, intervalMs: limits.heartbeatMs, nextTurn: wire.nextTurn });
    return {
      limits,
      clock,
      randomBytes,
      wire,
      sockets: new SocketRegistry(heartbeat),
      hosts: new HostRegistry(),
      connections: new ConnectionIndex(),
      counters: new Counters(),
      report: new Report({ logger, clock }, this),
    };
  }

  #createGatekeeper(): Gatekeeper {
    const { limits, clock, path } = this.#options;
    return {
      limits,
      target: { path, maxUrlBytes: limits.maxUrlBytes, maxFieldBytes: limits.maxFieldBytes },
      admission: new AdmissionTable({
        clock,
        windowMs: limits.admissionWindowMs,
        maxEntries: limits.maxAdmissionEntries,
      }),
      authenticator: new HostAuthenticator({
        clock,
        timestampSkewMs: limits.timestampSkewMs,
        replay: this.#replay,
        maxCachedKeys: limits.maxHosts * CACHED_KEYS_PER_HOST,
      }),
    };
  }

  #createListener(): Listener {
    const path: UpgradePath = {
      context: this.#context,
      gatekeeper: this.#gatekeeper,
      refused: this.#refused,
      trustProxy: this.#options.trustProxy ? 'trust' : 'ignore',
      isDraining: () => this.#lifecycle.state !== 'listening',
    };
    return new Listener(this.#options.limits, {
      limiter: this.#limiter,
      onRequest: (request, response) =>
        answerPlainRequest(request, response, this.#lifecycle.state === 'listening' ? 'ready' : 'draining'),
      onUpgrade: (request, socket, head) => handleUpgrade({ request, socket, head }, path),
    });
  }
}
