import { KeyCache } from '@openchambery/daemon';
import { type ApnsProvider, createApnsProvider } from './apns/create-apns-provider.ts';
import { createPushApp } from './app.ts';
import { DeliveryGate } from './deliver/delivery-gate.ts';
import { EnvironmentHealth } from './deliver/environment-health.ts';
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
  readonly #provider: ApnsProvider;
  readonly #fetch: AppFetch;
  #state: PushState = 'running';
  #requestCount = 0;
  #onIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  /** Use `createPushService`. */
  constructor(options: ResolvedPushOptions, store: BindingStore) {
    const { clock, logger, limits } = options;
    const report = new Report(logger, clock);
    this.#provider = createProvider(options, report);
    this.#context = createContext(options, {
      store,
      report,
      provider: this.#provider,
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
    return {
      state: this.#state,
      requestCount: this.#requestCount,
      inFlightCount: courier.gate.activeCount,
      waitingCount: courier.gate.waitingCount,
      ...store.counts(),
      suspected: courier.health.suspected(),
      providers: this.#provider.snapshot(),
      totals: report.counters.totals(),
    };
  }

  async #close(): Promise<void> {
    this.drain();
    await this.#whenIdle();
    await this.#provider.close();
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

function createProvider(options: ResolvedPushOptions, report: Report): ApnsProvider {
  const { apnsKeyId, apnsTeamId, apnsBundleId, apnsP8, apnsProductionUrl, apnsSandboxUrl } = options;
  return createApnsProvider({
    keyId: apnsKeyId,
    teamId: apnsTeamId,
    bundleId: apnsBundleId,
    key: apnsP8,
    urls: { production: apnsProductionUrl, sandbox: apnsSandboxUrl },
    clock: options.clock,
    logger: options.logger,
    hash: (token) => report.nameOf(token),
  });
}

interface ContextParts extends Pick<PushContext, 'store' | 'report' | 'isDraining' | 'limits'> {
  readonly provider: ApnsProvider;
}

function createContext(options: ResolvedPushOptions, parts: ContextParts): PushContext {
  const { clock, trustProxy, apnsBundleId } = options;
  const { store, report, provider, isDraining, limits } = parts;
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
      provider,
      store,
      gate: new DeliveryGate(limits.maxInFlight),
      health: new EnvironmentHealth(clock, report),
      secondOpinion: new SecondOpinion(clock),
      holds: new TokenHolds(clock),
      listener: report,
      onProviderBug: (error) => report.providerBug(error),
    },
    topics: { alert: apnsBundleId, liveactivity: `${apnsBundleId}.push-type.liveactivity` },
    registersByIp: perMinute(limits.registerLimitPerMinute),
    sendsByIp: perMinute(limits.sendLimitPerMinute),
    sendsByServer: perMinute(limits.serverSendLimitPerMinute),
    report,
    isDraining,
  };
}
