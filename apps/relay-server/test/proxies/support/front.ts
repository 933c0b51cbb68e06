import { startRelay } from '@openchambery/testkit';
import type { RelayProcess, StartRelayOptions } from '@openchambery/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { startProxy } from './running-proxy.ts';
import type { ProxyKind, ProxyPlan, RunningProxy } from './running-proxy.ts';

/** A relay with a proxy before it. */
export interface Front {
  readonly proxy: RunningProxy;
  /** The relay as the world sees it: its `url` leads through the proxy. */
  readonly relay: RelayProcess;
}

export interface FrontOptions extends Omit<ProxyPlan, 'relay' | 'push' | 'site'> {
  /** Asked when everything else is set up. */
  readonly relay: () => StartRelayOptions;
  /** `host:port` of the push relay. @default the relay itself */
  readonly push?: () => string;
  /** `host:port` of the other site. @default the relay, where no variant asks for one */
  readonly site?: () => string;
}

/** One relay behind a proxy for the tests of the surrounding `describe`. That it has not crashed is checked at the end. */
export function useFront(kind: ProxyKind, options: FrontOptions): Front {
  let front: Front | undefined;
  let hasExited = false;
  beforeAll(async () => {
    const { relay: relayOptions, push, site, ...plan } = options;
    const relay = await startRelay(relayOptions());
    void relay.exited.finally(() => (hasExited = true));
    try {
      const proxy = await startProxy(kind, {
        ...plan,
        relay: relay.authority,
        push: push?.() ?? relay.authority,
        site: site?.() ?? relay.authority,
      });
      front = { proxy, relay: behind(proxy, relay) };
    } catch (error) {
      await relay.stop();
      throw error;
    }
  });
  afterAll(async () => {
    const crashed = front !== undefined && hasExited;
    await front?.proxy.stop();
    await front?.relay.stop();
    expect(crashed, `the relay ended during the tests: ${front?.relay.stderr()}`).toBe(false);
  });
  const running = (): Front => {
    if (front === undefined) throw new Error('the proxy runs inside tests and hooks only');
    return front;
  };
  return {
    get proxy() {
      return running().proxy;
    },
    get relay() {
      return running().relay;
    },
  };
}

/** `relay`, reached through `proxy`. */
export function behind(proxy: RunningProxy, relay: RelayProcess): RelayProcess {
  return { ...relay, url: `wss://127.0.0.1:${proxy.port}${relay.path}` };
}
