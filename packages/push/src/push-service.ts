import { KeyCache } from '@openchambery/daemon';
import { createPushApp } from './app.ts';
import { createGates, createProviders, platformsOf } from './create-providers.ts';
import type { Providers } from './deliver/delivery-job.ts';
import { ServiceHealth } from './deliver/service-health.ts';
import { SecondOpinion } from './deliver/second-opinion.ts';
import { TokenHolds } from './deliver/token-holds.ts';
import { type AppFetch, answerInProcess, INTERNAL } from './http/in-process.ts';
import type { PushRequest, PushResponse } from './http/push-request.ts';
import { SlidingWindow } from './limits/sliding-window.ts';
import { Report } from './observe/report.ts';
import { type PushOptions, type ResolvedPushOptions, resolvePushOptions } from './options/push-options.ts';
import type { PushContext } from './push-context.ts';
import type { PushSnapshot, PushState } from './push-snapshot.ts';
import { openSqliteBindingStore } from './sqlite/open-sqlite-binding-store.ts';
import type { BindingStore } from './binding/binding-store.ts';

const MINUTE_MS = 60_000;
/** IPs and servers whose last minute is kept in mind. */
const MAX_WINDOW_KEYS = 10_000;
/** Servers whose key is kept imported. */
const MAX_CACHED_KEYS = 4096;
/** Deliveries end within 5 s by themselves; whatever does not is left behind. In ms. */
const DRAIN_MS = 5500;

/** A push relay without a port of its own. */
export class PushService {
  readonly #context: PushContext;
  readonly #providers: Providers;
  readonly #fetch: AppFetch;
  #state: PushState = 'running';
  #requestCount = 0;
  #onIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  /** Use `createPushService`. */
  constructor(options: ResolvedPushOptions, store: BindingStore) {
    const { clock, logger, limits } = options;
    const report = new Report(logger, clock);
    this.#providers = createProviders(options, (token) => report.nameOf(token));
    this.#context = createContext(options, {
      store,
      report,
      providers: this.#providers,
      isDraining: () => this.#state !== 'running',
      limits,
    });
    const app = createPushApp(this.#context);
    this.#fetch = async (request, env) => {
      this.#requestCount++;
      try {
        return await app.fetch(request, env);
      } finally {
        this.#requestCount--;
        if (this.#requestCount === 0) this.#onIdle?.();
      }
    };
  }

  /** The app as a fetch handler, for a server that speaks Request and Response. */
  get fetch(): AppFetch {
    return this.#fetch;
  }

  /** Answers one request. Never rejects. */
  async handle(request: PushRequest): Promise<PushResponse> {
    try {
      return await answerInProcess(request, this.#fetch);
    } catch (error) {
      // The app answers its own faults; this is one below it.
      this.#context.report.failed(error);
      return INTERNAL;
    }
  }

  /** From now on new requests are answered with 503; those under way go on. */
  drain(): void {
    if (this.#state === 'running') this.#state = 'draining';
  }

  /** Drains, waits up to 5.5 s for what is under way, ends the connections and closes the database. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Where in its life it is. */
  get state(): PushState {
    return this.#state;
  }

  /** What it holds now. */
  snapshot(): PushSnapshot {
    const { store, courier, report } = this.#context;
    const gates = Object.values(courier.gates);
    const { ios, android } = this.#providers;
    return {
      state: this.#state,
      requestCount: this.#requestCount,
      inFlightCount: gates.reduce((sum, { activeCount }) => sum + activeCount, 0),
      waitingCount: gates.reduce((sum, { waitingCount }) => sum + waitingCount, 0),
      ...store.counts(),
      suspected: courier.health.suspected(),
      providers: { ...ios.snapshot(), ...android?.snapshot() },
      totals: report.counters.totals(),
    };
  }

  async #close(): Promise<void> {
    this.drain();
    await this.#whenIdle();
    const { ios, android } = this.#providers;
    await Promise.all([ios.close(), android?.close()]);
    await this.#context.store.close();
    this.#state = 'closed';
  }

  #whenIdle(): Promise<void> {
    if (this.#requestCount === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#context.clock.setTimer(resolve, DRAIN_MS);
      this.#onIdle = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

/**
 * Opens the database and makes a push relay. Nothing goes over the network before the first push.
 * @throws {PushOptionError} when an option is not usable.
 * @throws {PushStoreError} when the database is not.
 */
export function createPushService(options: PushOptions): PushService {
  const resolved = resolvePushOptions(options);
  return new PushService(resolved, openStore(resolved));
}

/** Opens the database that the options name. @throws {PushStoreError} when it cannot be used. */
export function openStore({ databasePath, limits, clock, logger }: ResolvedPushOptions): BindingStore {
  return openSqliteBindingStore({ path: databasePath, limits, clock, logger });
}

interface ContextParts extends Pick<PushContext, 'store' | 'report' | 'isDraining' | 'limits'> {
  readonly providers: Providers;
}

function createContext(options: ResolvedPushOptions, parts: ContextParts): PushContext {
  const { clock, trustProxy, apnsBundleId } = options;
  const { store, report, providers, isDraining, limits } = parts;
  const perMinute = (max: number): SlidingWindow =>
    new SlidingWindow({ clock, windowMs: MINUTE_MS, max, maxKeys: MAX_WINDOW_KEYS });
  return {
    clock,
    limits,
    trustProxy: trustProxy ? 'trust' : 'ignore',
    keys: new KeyCache(MAX_CACHED_KEYS),
    store,
    courier: {
      clock,
      providers,
      store,
      gates: createGates(limits.maxInFlight, providers),
      health: new ServiceHealth(clock, report),
      secondOpinion: new SecondOpinion(clock),
      holds: new TokenHolds(clock),
      listener: report,
      onProviderBug: (error) => report.providerBug(error),
    },
    platforms: platformsOf(providers),
    topics: { alert: apnsBundleId, liveactivity: `${apnsBundleId}.push-type.liveactivity` },
    registersByIp: perMinute(limits.registerLimitPerMinute),
    sendsByIp: perMinute(limits.sendLimitPerMinute),
    sendsByServer: perMinute(limits.serverSendLimitPerMinute),
    report,
    isDraining,
  };
}
