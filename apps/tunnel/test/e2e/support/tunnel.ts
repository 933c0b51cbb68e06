import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRelay } from '@openchambery/testkit';
import type { RelayProcess, StartRelayOptions } from '@openchambery/testkit';
import { start } from './command.ts';
import type { Running } from './command.ts';
import { untilTestEnds } from './keep.ts';
import type { Keep } from './keep.ts';
import { startOrigin } from './origin.ts';
import type { Origin } from './origin.ts';

/** Limits of the relay that tests from one address would reach. */
export const ROOMY = {
  MAX_ADMISSIONS_PER_IP: 100_000,
  MAX_HOST_CONTROL_ADMISSIONS_PER_IP: 100_000,
  MAX_HOST_CONTROL_ADMISSIONS_PER_SERVER: 100_000,
} as const;

/** A relay of one's own. */
export async function ownRelay(keep = untilTestEnds, options: StartRelayOptions = {}): Promise<RelayProcess> {
  const relay = await startRelay({ limits: ROOMY, ...options });
  keep(() => relay.stop());
  return relay;
}

/** A folder of one's own. */
export async function ownFolder(keep = untilTestEnds): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'openchamber-tunnel-e2e-'));
  keep(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** `expose`, connected to its relay. */
export interface Exposed {
  readonly command: Running;
  readonly link: string;
}

/** Starts `expose` with `--json` and waits until it is connected. */
export async function expose(args: readonly string[], keep = untilTestEnds): Promise<Exposed> {
  const command = start(['expose', '--json', ...args], { keep });
  const { link } = await command.json(({ status }) => status === 'ok');
  await command.json(({ state }) => state === 'connected');
  return { command, link: String(link) };
}

/** `connect`, which listens. */
export interface Connected {
  readonly command: Running;
  readonly url: string;
  readonly port: number;
}

/** Starts `connect` on a free port; the link comes by stdin. */
export async function connect(link: string, keep = untilTestEnds): Promise<Connected> {
  const command = start(['connect', '-', '--json', '--listen', '0'], { stdin: link, keep });
  const { url, port } = await command.json(({ status }) => status === 'ok');
  return { command, url: String(url), port: Number(port) };
}

/** All parties but the Client. */
export interface Stage extends Exposed {
  readonly origin: Origin;
  readonly relay: RelayProcess;
  readonly state: string;
}

/** How to start the parties. */
export interface StageOptions {
  readonly keep?: Keep;
  /** @default a relay of its own */
  readonly relay?: RelayProcess;
  /** Further arguments of `expose`. */
  readonly args?: readonly string[];
}

/** Starts them. */
export async function setStage({
  keep = untilTestEnds,
  args = [],
  ...given
}: StageOptions = {}): Promise<Stage> {
  const [origin, state] = await Promise.all([startOrigin(keep), ownFolder(keep)]);
  const relay = given.relay ?? (await ownRelay(keep));
  const exposed = await expose([String(origin.port), '--relay', relay.url, '--state', state, ...args], keep);
  return { origin, relay, state, ...exposed };
}

/** All parties; `command` is `connect`, `host` is `expose`. */
export interface Scene extends Stage, Connected {
  readonly host: Running;
}

/** Starts all of them. */
export async function setScene(options: StageOptions = {}): Promise<Scene> {
  const stage = await setStage(options);
  return { ...stage, host: stage.command, ...(await connect(stage.link, options.keep)) };
}

/** The link with another secret in it. */
export function withWrongSecret(link: string): string {
  return link.replace(/(?<=&s=)[^&]+/, 'AAAAAAAAAAAAAAAAAAAAAA');
}
