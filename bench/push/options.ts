import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chosen } from '../options.ts';

const SCENARIOS = ['requests', 'latency', 'memory'] as const;

export type PushScenarioName = (typeof SCENARIOS)[number];

/** What the command line asks for. */
export interface PushBenchOptions {
  readonly scenarios: readonly PushScenarioName[];
  readonly quick: boolean;
  /** Whether memory is watched over a million pushes. */
  readonly million: boolean;
  readonly rounds: number;
  readonly output: string;
  readonly profileDirectory: string | undefined;
}

export const USAGE = `usage: bench/push/run.ts [--quick] [--million] [--only NAME,…] [--rounds N] [--out FILE] [--profile DIR]
  --quick    short windows: a look, not a result
  --million  watches memory over a million pushes instead of 100,000
  --only     scenarios: ${SCENARIOS.join(', ')}
  --rounds   how often each figure is taken (5, or 2 with --quick)
  --out      JSON file (bench/results/push-latest.json)
  --profile  directory for CPU profiles of the push relay`;

/** Reads the command line; throws with a message for people on what it does not know. */
export function parseOptions(argv: readonly string[]): PushBenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      million: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      out: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? 2 : 5));
  if (!Number.isSafeInteger(rounds) || rounds < 1) {
    throw new Error(`--rounds: expected a positive integer, got "${values.rounds}"`);
  }
  return {
    scenarios: chosen('--only', values.only, SCENARIOS),
    quick: values.quick,
    million: values.million,
    rounds,
    output: values.out ?? fileURLToPath(new URL('../results/push-latest.json', import.meta.url)),
    profileDirectory: values.profile,
  };
}
