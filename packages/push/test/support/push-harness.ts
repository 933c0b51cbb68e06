import { KeyCache } from '@openchambery/daemon';
import { FakeClock, type HostIdentity, makeIdentity, signText } from '@openchambery/testkit';
import { createPushApp } from '../../src/app.ts';
import { createGates, platformsOf } from '../../src/create-providers.ts';
import type { Providers } from '../../src/deliver/delivery-job.ts';
import { ServiceHealth } from '../../src/deliver/service-health.ts';
import { SecondOpinion } from '../../src/deliver/second-opinion.ts';
import { TokenHolds } from '../../src/deliver/token-holds.ts';
import { answerInProcess } from '../../src/http/in-process.ts';
import type { BodyFault, PushResponse } from '../../src/http/push-request.ts';
import { SlidingWindow } from '../../src/limits/sliding-window.ts';
import { Report } from '../../src/observe/report.ts';
import { type PushLimits, resolvePushLimits } from '../../src/options/limits.ts';
import type { PushContext } from '../../src/push-context.ts';
import { type Route, ROUTES } from '../../src/request/route.ts';
import { type Body, liveActivity, liveActivityRegistration, registration, send } from './bodies.ts';
import { MemoryBindingStore } from './memory-binding-store.ts';
import { RecordingLogger } from './recording-logger.ts';
import { ScriptedFcm, ScriptedProvider } from './scripted-provider.ts';
import { liveActivityText, registrationText, sendText } from './signed-texts.ts';

export interface HarnessOptions {
  readonly limits?: Partial<PushLimits>;
  readonly trustProxy?: 'trust' | 'ignore';
  readonly maxWindowKeys?: number;
  /** @default 'apple' */
  readonly platforms?: 'apple' | 'both';
}

export interface PostOptions {
  readonly ip?: string | undefined;
  readonly forwardedFor?: string;
  readonly method?: string;
  /** What reading the body gives instead of the body. */
  readonly fault?: BodyFault;
}

export interface Answer extends PushResponse {
  /** What the body says; undefined when it is empty. */
  readonly json: unknown;
}

const MINUTE_MS = 60_000;

/** The whole app over a store and a provider of our own, on a clock that stands still. */
export class PushHarness {
  readonly clock = new FakeClock();
  readonly logger = new RecordingLogger();
  readonly store: MemoryBindingStore = new MemoryBindingStore(this.clock);
  readonly provider = new ScriptedProvider();
  readonly android = new ScriptedFcm();
  readonly identity: HostIdentity = makeIdentity();
  readonly context: PushContext;
  /** What each request that was read had allowed its body to be, in bytes. */
  readonly bodyLimits: number[] = [];
  isDraining = false;
  readonly #app: ReturnType<typeof createPushApp>;
  #lastTs = 0;

  constructor(options: HarnessOptions = {}) {
    this.context = this.#createContext(options);
    this.#app = createPushApp(this.context);
  }

  get totals(): ReturnType<PushContext['report']['counters']['totals']> {
    return this.context.report.counters.totals();
  }

  /** A time within the skew that no other request of this harness has. */
  ts(): number {
    this.#lastTs = Math.max(this.#lastTs + 1, this.clock.epochMs());
    return this.#lastTs;
  }

  registration(members: Body = {}, identity = this.identity): Body {
    return sign(identity, registration({ ts: this.ts(), ...members }), registrationText);
  }

  liveActivityRegistration(members: Body = {}, identity = this.identity): Body {
    return sign(identity, liveActivityRegistration({ ts: this.ts(), ...members }), registrationText);
  }

  send(members: Body = {}, identity = this.identity): Body {
    return sign(identity, send({ ts: this.ts(), ...members }), sendText);
  }

  liveActivity(members: Body = {}, identity = this.identity): Body {
    return sign(identity, liveActivity({ ts: this.ts(), ...members }), liveActivityText);
  }

  /** A good request for a route. */
  bodyFor(route: Route): Body {
    switch (route) {
      case ROUTES.registerToken:
        return this.registration();
      case ROUTES.registerLiveActivityToken:
      case ROUTES.unregisterLiveActivityToken:
        return this.liveActivityRegistration();
      case ROUTES.send:
        return this.send();
      case ROUTES.liveActivity:
        return this.liveActivity();
    }
  }

  /** Sends a body as JSON, or bytes as they are. */
  async post(target: string, body: unknown, options: PostOptions = {}): Promise<Answer> {
    const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
    const response = await answerInProcess(
      {
        method: options.method ?? 'POST',
        target,
        peerAddress: 'ip' in options ? options.ip : '192.0.2.1',
        forwardedFor: options.forwardedFor,
        readBody: (maxBytes) => {
          this.bodyLimits.push(maxBytes);
          const fault = bytes.length > maxBytes ? 'too-large' : options.fault;
          return Promise.resolve(fault ?? bytes);
        },
      },
      async (request, env) => this.#app.fetch(request, env),
    );
    return { ...response, json: response.body === '' ? undefined : JSON.parse(response.body) };
  }

  #createContext(options: HarnessOptions): PushContext {
    const { limits: given, trustProxy = 'ignore', maxWindowKeys = 100, platforms = 'apple' } = options;
    const { clock, store } = this;
    const providers: Providers = {
      ios: this.provider,
      android: platforms === 'both' ? this.android : undefined,
    };
    const limits = resolvePushLimits(given);
    const report = new Report(this.logger, clock);
    const perMinute = (max: number): SlidingWindow =>
      new SlidingWindow({ clock, windowMs: MINUTE_MS, max, maxKeys: maxWindowKeys });
    return {
      clock,
      limits,
      trustProxy,
      keys: new KeyCache(100),
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
      topics: { alert: 'com.example', liveactivity: 'com.example.push-type.liveactivity' },
      registersByIp: perMinute(limits.registerLimitPerMinute),
      sendsByIp: perMinute(limits.sendLimitPerMinute),
      sendsByServer: perMinute(limits.serverSendLimitPerMinute),
      report,
      isDraining: () => this.isDraining,
    };
  }
}

/** Signs a body as its server does; `textOf` gives what is signed. */
function sign(identity: HostIdentity, body: Body, textOf: (body: Body) => string): Body {
  return { ...body, publicKeyJwk: identity.publicJwk, sig: signText(identity, textOf(body)) };
}
