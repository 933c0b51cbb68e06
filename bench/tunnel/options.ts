import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chosen } from '../options.ts';
import type { RouteName } from './world.ts';

const SCENARIOS = ['bulk', 'small', 'ends'] as const;
const ROUTES: readonly RouteName[] = ['tunnel', 'hops', 'direct', 'tunnel-sockets', 'hops-http'];

export type TunnelScenarioName = (typeof SCENARIOS)[number];

/** What the command line asks for. */
export interface TunnelBenchOptions {
  readonly scenarios: readonly TunnelScenarioName[];
  readonly routes: readonly RouteName[];
  readonly quick: boolean;
  readonly usesSources: boolean;
  readonly rounds: number;
  readonly output: string;
  readonly profileDirectory: string | undefined;
}

export const USAGE = `usage: bench/tunnel/run.ts [--quick] [--sources] [--only NAME,…] [--routes NAME,…] [--rounds N] [--out FILE] [--profile DIR]
  --quick    little data and few rounds: a look, not a result
  --sources  Host and Client from their sources, not as built: for trying changes
  --only     scenarios: ${SCENARIOS.join(', ')}
  --routes   ${ROUTES.join(', ')}
  --rounds   how often each figure is taken (9, or 3 with --quick)
  --out      JSON file (bench/results/tunnel-latest.json)
  --profile  directory for CPU profiles of every process`;

/** Reads the command line; throws with a message for people on what it does not know. */
export function parseOptions(argv: readonly string[]): TunnelBenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      sources: { type: 'boolean', default: false },
      only: { type: 'string' },
      routes: { type: 'string' },
      rounds: { type: 'string' },
      out: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? 3 : 9));
  if (!Number.isSafeInteger(rounds) || rounds < 1) {
    throw new Error(`--rounds: expected a positive integer, got "${values.rounds}"`);
  }
  return {
    scenarios: chosen('--only', values.only, SCENARIOS),
    routes: chosen('--routes', values.routes, ROUTES),
    quick: values.quick,
    usesSources: values.sources,
    rounds,
    output: values.out ?? fileURLToPath(new URL('../results/tunnel-latest.json', import.meta.url)),
    profileDirectory: values.profile,
  };
}
