import { freePort, openPair, spawnRelay, TestHost } from '@openchambery/testkit';
import type { RelayCommand } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { roomy } from '../../e2e/support/relay.ts';
import { expectClosed } from '../../e2e/support/sockets.ts';
import { startProxy } from '../support/running-proxy.ts';
import type { ProxyKind, RunningProxy } from '../support/running-proxy.ts';
import { keptConnection, secureRequest } from '../support/secure-request.ts';

/** A relay that is stopped and started again behind its proxy. */
export function describeRestart(kind: ProxyKind, push: () => string): void {
  describe('a restart of the relay', () => {
    it('is over for everybody as soon as it is for the relay', { timeout: 40_000 }, async () => {
      const port = await freePort();
      const relay = await startAt(port);
      const proxy = await ownProxy(kind, `127.0.0.1:${port}`, push());
      const url = `wss://127.0.0.1:${proxy.port}/ws`;
      const host = await TestHost.connect(url);
      const { client, data } = await openPair(url, host);
      const kept = keptConnection();
      await secureRequest(proxy.port, { path: '/healthz', agent: kept });
      const watch = watchHealth(proxy);

      const stoppedAt = performance.now();
      relay.kill('SIGTERM');
      for (const peer of [host.control, client, data]) await expectClosed(peer, 1012);
      expect(await relay.exited).toEqual({ code: 0, signal: null });
      const missed = await secureRequest(proxy.port, { path: '/ws?sig=a-query-that-nobody-may-read' });
      expect([502, 503, 504]).toContain(missed.status);
      await startAt(port);
      const startedAt = performance.now();

      const again = await TestHost.connect(url, { identity: host.identity });
      onTestFinished(() => again.control.terminate());
      // No proxy sends a POST again: over a connection that the old relay has closed, it would fail.
      for (let i = 0; i < 20; i++) {
        const agent = i % 2 === 0 ? { agent: kept } : {};
        const { status } = await secureRequest(proxy.port, { path: '/healthz', method: 'POST', ...agent });
        expect(status).toBe(404);
      }
      for (const sample of await watch.end()) {
        if (sample.status === 200) continue;
        expect([502, 503, 504]).toContain(sample.status);
        expect(sample.endedAt).toBeGreaterThan(stoppedAt);
        expect(sample.startedAt).toBeLessThan(startedAt);
      }
      expect(proxy.log()).not.toContain('nobody-may-read');
      expect(proxy.log()).toMatch(/\/ws\b/u);
    });
  });
}

async function startAt(port: number): Promise<RelayCommand> {
  const relay = spawnRelay({
    args: ['--json', '--port', String(port)],
    limits: { ...roomy, TRUST_PROXY: 'true' },
  });
  onTestFinished(() => relay.stop());
  await relay.output('stdout', (text) => text.includes('"status":"ok"'));
  return relay;
}

async function ownProxy(kind: ProxyKind, relay: string, push: string): Promise<RunningProxy> {
  const proxy = await startProxy(kind, { variant: 'relay-push', relay, push, site: relay });
  onTestFinished(() => proxy.stop());
  return proxy;
}

interface Sample {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number;
}

/** Asks for the health again and again, each time over a new connection. */
function watchHealth({ port }: RunningProxy): { readonly end: () => Promise<readonly Sample[]> } {
  const samples: Sample[] = [];
  const over = new AbortController();
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const startedAt = performance.now();
      const { status } = await secureRequest(port, { path: '/healthz' });
      samples.push({ startedAt, endedAt: performance.now(), status });
    }
  };
  const running = run();
  running.catch(() => 'reported to whoever ends the watch');
  return {
    end: async () => {
      over.abort();
      await running;
      return samples;
    },
  };
}
