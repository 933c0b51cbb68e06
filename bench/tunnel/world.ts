import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort, type RunningChild, startChild } from '../rivals/child.ts';
import type { RivalName } from '../results.ts';
import { buildParties } from './build-parties.ts';
import { type Party, profileFlags, startParty } from './party.ts';

const relayProgram = fileURLToPath(
  new URL('../../apps/relay-server/bin/openchamber-relay.js', import.meta.url),
);
const relayBundle = fileURLToPath(
  new URL('../../apps/relay-server/dist/openchamber-relay.js', import.meta.url),
);

/** One who takes part in moving bytes; each is a process of its own. */
export type Role = 'client' | 'relay' | 'Host' | 'origin';

/** How routes are called. */
export type RouteName = Extract<RivalName, 'tunnel' | 'tunnel-sockets' | 'hops' | 'hops-http' | 'direct'>;

/** A way from a client to the origin, with everybody on it. */
export interface Route {
  readonly name: RouteName;
  readonly client: Party;
  readonly pids: Partial<Readonly<Record<Role, number>>>;
}

/** All processes of a run. The origin and the relay serve every route; only one route is in use at a time. */
export interface World {
  readonly routes: readonly Route[];
  readonly pids: readonly number[];
}

/** What is started. */
export interface WorldOptions {
  readonly routes: readonly RouteName[];
  /** Takes Host and Client from their sources instead of what was built of them. */
  readonly usesSources: boolean;
  readonly profileDirectory: string | undefined;
}

/** Starts everybody, runs `work` and stops them whatever happens. */
export async function withWorld<T>(options: WorldOptions, work: (world: World) => Promise<T>): Promise<T> {
  const { profileDirectory } = options;
  const folder = await buildParties(options);
  const started: (Party | RunningChild)[] = [];
  const start = async (program: string, ...args: string[]): Promise<Party> => {
    const party = await startParty(program, args, { folder, profileDirectory });
    started.push(party);
    return party;
  };
  try {
    const port = await freePort();
    const relay = await startRelay(port, profileDirectory);
    started.push(relay);
    const common = { start, relayPid: relay.pid, relayUrl: `ws://127.0.0.1:${port}/ws` };
    const origin = await start('parties/origin.js');
    const routes: Route[] = [];
    for (const name of options.routes) routes.push(await starters[name]({ ...common, origin }));
    return await work({ routes, pids: started.map(({ pid }) => pid) });
  } finally {
    // The last first: a relay that goes before its Hosts would only make them try again.
    for (const party of started.toReversed()) await party.stop();
  }
}

interface Surroundings {
  readonly start: (program: string, ...args: string[]) => Promise<Party>;
  readonly origin: Party;
  readonly relayPid: number;
  readonly relayUrl: string;
}

const starters: Readonly<Record<RouteName, (surroundings: Surroundings) => Promise<Route>>> = {
  tunnel: (surroundings) => startTunnel('tunnel', surroundings, 'clients/tunnel.js'),
  'tunnel-sockets': (surroundings) =>
    startTunnel('tunnel-sockets', surroundings, 'clients/tunnel-sockets.js'),
  hops: (surroundings) => startHops('hops', surroundings, 'parties/plain-host.js'),
  'hops-http': (surroundings) => startHops('hops-http', surroundings, 'parties/plain-http-host.js'),
  direct: async ({ start, origin }) => {
    const client = await start('clients/direct.js', factOf(origin, 'port'));
    return { name: 'direct', client, pids: { client: client.pid, origin: origin.pid } };
  },
};

async function startTunnel(
  name: RouteName,
  { start, origin, relayPid, relayUrl }: Surroundings,
  program: string,
): Promise<Route> {
  const host = await start('parties/tunnel-host.js', relayUrl, factOf(origin, 'port'));
  const facing = [factOf(host, 'serverId'), factOf(host, 'hostEncPubJwk')];
  const client = await start(program, relayUrl, ...facing);
  return { name, client, pids: { client: client.pid, relay: relayPid, Host: host.pid, origin: origin.pid } };
}

async function startHops(
  name: RouteName,
  { start, origin, relayPid, relayUrl }: Surroundings,
  program: string,
): Promise<Route> {
  const host = await start(program, relayUrl, factOf(origin, 'port'));
  const client = await start('clients/plain.js', relayUrl, factOf(host, 'serverId'));
  return { name, client, pids: { client: client.pid, relay: relayPid, Host: host.pid, origin: origin.pid } };
}

async function startRelay(port: number, profileDirectory: string | undefined): Promise<RunningChild> {
  if (!existsSync(relayBundle)) throw new Error('apps/relay-server is not built (npm run build)');
  return await startChild({
    command: [
      process.execPath,
      ...profileFlags(profileDirectory, 'relay'),
      relayProgram,
      '--port',
      String(port),
      '--path',
      '/ws',
    ],
    pinning: undefined,
    // All clients are one address here, and the plain ones need a connection for each stream.
    env: { OPENCHAMBER_RELAY_SERVER_MAX_CLIENTS_PER_IP: '64' },
    readyText: 'Relay listening',
  });
}

function factOf({ facts }: Party, name: string): string {
  const fact = facts[name];
  if (fact === undefined) throw new Error(`a party did not say its ${name}`);
  return fact;
}
