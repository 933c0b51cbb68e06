import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startNodeRelay } from './node-relay.ts';
import type { Rival } from './rival.ts';

const ENV_PREFIX = 'OPENCHAMBER_RELAY_SERVER_';
const program = fileURLToPath(new URL('../../apps/relay-server/bin/openchamber-relay.js', import.meta.url));
const bundle = fileURLToPath(new URL('../../apps/relay-server/dist/openchamber-relay.js', import.meta.url));

/** The generator is one IP with thousands of connections: what limits one IP or one Host must be out of the way. */
const raisedLimits: Readonly<Record<string, string>> = {
  MAX_HOSTS: '20000',
  MAX_SOCKETS: '40000',
  MAX_CONNECTIONS: '20000',
  MAX_CLIENTS_PER_HOST: '10000',
  MAX_CLIENTS_PER_IP: '20000',
  MAX_PENDING_CLIENTS: '10000',
  MAX_RAW_SOCKETS: '40000',
  MAX_RAW_SOCKETS_PER_IP: '40000',
  MAX_ADMISSIONS_PER_IP: '1000000',
  MAX_HOST_CONTROL_ADMISSIONS_PER_IP: '1000000',
  MAX_HOST_CONTROL_ADMISSIONS_PER_SERVER: '1000000',
};

/** The relay of this repository as it is published: the bundle, not the sources. */
export function openchamberRival(): Rival {
  return {
    name: 'ours',
    unavailable: existsSync(bundle) ? undefined : 'apps/relay-server is not built (pnpm build)',
    start: (options) => {
      const limits = { ...raisedLimits, ...options.limits };
      const env = Object.fromEntries(
        Object.entries(limits).map(([name, value]) => [ENV_PREFIX + name, value]),
      );
      return startNodeRelay({ name: 'ours', args: argumentsFor, env, readyText: 'Relay listening' }, options);
    },
  };
}

function argumentsFor(port: number): string[] {
  return [program, '--port', String(port), '--path', '/ws'];
}
