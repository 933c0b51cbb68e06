import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delay } from '@openchambery/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roomy } from '../../e2e/support/relay.ts';
import { connectHost, connectPair, expectFlows, expectLive } from '../../e2e/support/sockets.ts';
import { useFront } from '../support/front.ts';
import type { Front } from '../support/front.ts';
import type { ProxyKind } from '../support/running-proxy.ts';
import { postBody } from '../support/push-behind.ts';
import { secureRequest } from '../support/secure-request.ts';

/** What the proxy is set to, instead of the 90 s in its file. */
const TUNNEL_IDLE_SECONDS = 2;

/** Tunnels in which nothing moves. */
export function describeIdleTunnels(kind: ProxyKind, push: () => string): void {
  const timeout = kind.cutsIdleTunnels ? { tunnelIdleSeconds: TUNNEL_IDLE_SECONDS } : {};

  describe('an idle tunnel', () => {
    const front = useFront(kind, {
      variant: 'relay-push',
      push,
      ...timeout,
      relay: () => ({ limits: { ...roomy, TRUST_PROXY: 'true', HEARTBEAT_MS: 500 } }),
    });

    it('outlives the time-outs of the proxy, as the heartbeat is shorter', async () => {
      const host = await connectHost(front.relay);
      const pair = await connectPair(front.relay, host);
      await delay(2500 * TUNNEL_IDLE_SECONDS);
      await expectFlows(pair);
      await expectLive(front.relay, host);
    });
  });
}

/** A proxy that reads its configuration anew. */
export function describeReload(kind: ProxyKind, front: Front): void {
  describe('after a reload of the proxy', () => {
    it(`tunnels ${kind.tunnelsOnReload}, and new ones are made`, async () => {
      const pair = await connectPair(front.relay, await connectHost(front.relay));
      await front.proxy.reload();
      if (kind.tunnelsOnReload === 'stay') await expectFlows(pair);
      // "Going away": Clients and Hosts come back after any such close.
      else for (const peer of [pair.client, pair.data]) expect((await peer.closed()).code).toBe(1001);
      await expectFlows(await connectPair(front.relay, await connectHost(front.relay)));
    });
  });
}

/** A relay under a path of a name that it shares with another site. */
export function describeSharedHost(kind: ProxyKind, push: () => string): void {
  const timeout = kind.cutsIdleTunnels ? { tunnelIdleSeconds: TUNNEL_IDLE_SECONDS } : {};

  describe('beside another site', () => {
    const site = createServer((request, response) => response.end(`the other site at ${request.url}`));
    beforeAll(async () => {
      site.listen(0, '127.0.0.1');
      await once(site, 'listening');
    });
    afterAll(() => {
      site.close();
      site.closeAllConnections();
    });
    const front = useFront(kind, {
      variant: 'path-prefix',
      push,
      site: () => `127.0.0.1:${(site.address() as AddressInfo).port}`,
      ...timeout,
      // With the ordinary heartbeat.
      relay: () => ({
        args: ['--path', '/relay/ws', '--public-url', 'wss://127.0.0.1/relay/ws'],
        limits: { ...roomy, TRUST_PROXY: 'true' },
      }),
    });

    it('the relay has its path, push its own, and the site the rest', async () => {
      const { port } = front.proxy;
      expect(new URL(front.relay.url).pathname).toBe('/relay/ws');
      await expectFlows(await connectPair(front.relay, await connectHost(front.relay)));
      const refused = await postBody(port, '/v1/push/send', '{}', { localAddress: '127.0.0.3' });
      expect([refused.status, refused.body]).toEqual([400, '{"error":"invalid_request"}']);
      for (const path of ['/', '/relay/', '/relay/wsx', '/ws', '/v1/push', '/healthz']) {
        const answer = await secureRequest(port, { path });
        expect([answer.status, answer.body]).toEqual([200, `the other site at ${path}`]);
      }
    });

    it.runIf(kind.cutsIdleTunnels)('the proxy cuts a tunnel when the heartbeat is longer', async () => {
      const pair = await connectPair(front.relay, await connectHost(front.relay));
      const ends = await Promise.all([pair.client.closed(), pair.data.closed()]);
      // The relay still gives the other leg a real close.
      expect(ends.map(({ code }) => code)).toContain(1006);
    });
  });
}
