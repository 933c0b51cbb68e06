import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSurroundings, usePush } from '../../e2e/support/push-setup.ts';
import type { PushSurroundings } from '../../e2e/support/push-setup.ts';
import { roomy } from '../../e2e/support/relay.ts';
import { describeAddresses } from '../suites/addresses.ts';
import { describeHttp, describePush } from '../suites/http.ts';
import { describeIdleTunnels, describeReload, describeSharedHost } from '../suites/lifetime.ts';
import { describeRestart } from '../suites/restart.ts';
import { describeTunnels } from '../suites/tunnels.ts';
import { useFront } from './front.ts';
import { combinedOptions } from './push-behind.ts';
import type { ProxyKind } from './running-proxy.ts';

/** Everything that is promised of a proxy; left out where its program is missing. */
export function describeProxy(kind: ProxyKind): void {
  describe.skipIf(!isInstalled(kind.name))(`behind ${kind.name}`, () => {
    const setup = usePush({ limits: { TRUST_PROXY: 'true', REGISTER_LIMIT_PER_MINUTE: 2 } });
    const push = (): string => setup.push.authority;

    describe('with a process each', () => {
      const front = useFront(kind, {
        variant: 'relay-push',
        push,
        // Shorter than the time that an idle connection to the relay is looked at.
        relay: () => ({ limits: { ...roomy, TRUST_PROXY: 'true', HANDSHAKE_MS: 1500 } }),
      });
      describeTunnels(front);
      describeHttp(front);
      describePush(front, setup, kind);

      it('its log knows requests, if any, by their path alone', () => {
        const log = front.proxy.log();
        for (const part of ['sig=', 'pk=', 'serverId=', 'role=client', 'a=b'])
          expect(log).not.toContain(part);
        if (kind.logsRequests) expect(log).toMatch(/"GET \/ws" 101 /u);
      });
    });

    describe('with one process for both', () => {
      let surroundings: PushSurroundings | undefined;
      beforeAll(async () => {
        surroundings = await openSurroundings({ limits: { REGISTER_LIMIT_PER_MINUTE: 2 } });
      });
      afterAll(() => surroundings?.close());
      const front = useFront(kind, {
        variant: 'one-upstream',
        relay: () => {
          if (surroundings === undefined) throw new Error('its surroundings come first');
          const limits = {
            ...roomy,
            TRUST_PROXY: 'true',
            MAX_ADMISSIONS_PER_IP: 2,
            ADMISSION_WINDOW_MS: 600_000,
          };
          return { ...combinedOptions(surroundings), limits };
        },
      });
      describeAddresses(front);
      describeReload(kind, front);
    });

    describeIdleTunnels(kind, push);
    describeSharedHost(kind, push);
    describeRestart(kind, push);
  });
}

function isInstalled(name: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', `PATH="$PATH:/usr/sbin" command -v ${name}`]);
    return true;
  } catch {
    return false;
  }
}
