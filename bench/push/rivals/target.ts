import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeApnsKey } from '@openchambery/testkit';
import type { Pinning } from '../../measure/pinning.ts';
import type { RivalName } from '../../results.ts';
import { freePort, startChild } from '../../rivals/child.ts';
import type { Provider } from './provider.ts';

const ENV_PREFIX = 'OPENCHAMBER_PUSH_RELAY_';
const ours = fileURLToPath(
  new URL('../../../apps/relay-server/bin/openchamber-push-relay.js', import.meta.url),
);
const bundle = fileURLToPath(
  new URL('../../../apps/relay-server/dist/openchamber-push-relay.js', import.meta.url),
);
const plain = fileURLToPath(new URL('plain-push.ts', import.meta.url));

/**
 * The generator is one IP, and what it sends in a second is a year's use of one server: limits on requests must be out
 * of the way. Replay marks are kept for 20 s instead of ten minutes, so that their table reaches its steady state,
 * in which as many are forgotten as are added, within a round.
 */
export const raisedLimits: Readonly<Record<string, string>> = {
  REGISTER_LIMIT_PER_MINUTE: '1000000',
  SEND_LIMIT_PER_MINUTE: '1000000',
  SERVER_SEND_LIMIT_PER_MINUTE: '1000000',
  MAX_REPLAY_ENTRIES: '1000000',
  TIMESTAMP_SKEW_MS: '10000',
  REPLAY_MS: '20000',
};

/** A process that takes push requests. */
export interface Target {
  readonly name: Extract<RivalName, 'push' | 'plain-push'>;
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** A push relay, and the database it has. */
interface PushRelay extends Target {
  readonly database: string;
}

/** How targets are started. */
export interface TargetOptions {
  readonly pinning: Pinning | undefined;
  readonly provider: Provider;
  /** Of this run; databases go there. */
  readonly folder: string;
  /** The database with the bindings; every push relay gets a copy. */
  readonly bindings: string;
  readonly profileDirectory: string | undefined;
}

/** Starts the push relay of this repository as it is published; `limits` by name without prefix. */
export async function startPushRelay(
  options: TargetOptions,
  label: string,
  limits: Readonly<Record<string, string>> = {},
): Promise<PushRelay> {
  if (!existsSync(bundle)) {
    throw new Error('apps/relay-server is not built (pnpm build)');
  }
  const port = await freePort();
  const database = join(options.folder, `push-${port}.sqlite`);
  copyFileSync(options.bindings, database);
  const { keyId, teamId, p8 } = makeApnsKey();
  const { url, caFile } = options.provider;
  const settings = {
    ...raisedLimits,
    ...limits,
    DATABASE_PATH: database,
    APNS_KEY_ID: keyId,
    APNS_TEAM_ID: teamId,
    APNS_P8: p8,
    APNS_PRODUCTION_URL: url,
    APNS_SANDBOX_URL: url,
  };
  const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [ENV_PREFIX + name, value]));
  const child = await startChild({
    command: [process.execPath, ...profileFlags(options, label), ours, '--port', String(port)],
    pinning: options.pinning,
    env: { ...env, NODE_EXTRA_CA_CERTS: caFile },
    readyText: 'Push relay listening',
  });
  return { name: 'push', pid: child.pid, port, database, stop: () => child.stop() };
}

/** Lets a push relay take over the bindings once, so that those to come find a database of their own. */
export async function takeOverBindings(options: TargetOptions): Promise<void> {
  const relay = await startPushRelay({ ...options, profileDirectory: undefined }, 'take-over');
  await relay.stop();
  renameSync(relay.database, options.bindings);
}

/** Starts the plain handler. */
export async function startPlainPush({ pinning, provider }: TargetOptions): Promise<Target> {
  const port = await freePort();
  const child = await startChild({
    command: [process.execPath, plain, String(port), provider.url],
    pinning,
    env: { NODE_EXTRA_CA_CERTS: provider.caFile },
    readyText: 'plain push listening',
  });
  return { name: 'plain-push', pid: child.pid, port, stop: () => child.stop() };
}

function profileFlags({ profileDirectory }: TargetOptions, label: string): string[] {
  if (profileDirectory === undefined) {
    return [];
  }
  return ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`, `--cpu-prof-name=push-${label}.cpuprofile`];
}
