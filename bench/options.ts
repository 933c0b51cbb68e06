import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { RivalName } from './results.ts';

const SCENARIOS = ['burst', 'sparse', 'pingpong', 'idle', 'setup', 'refused', 'flood', 'stalled'] as const;
const RIVALS: readonly RivalName[] = ['ours', 'ws', 'nginx', 'nginx-64k', 'uws'];

export type ScenarioName = (typeof SCENARIOS)[number];

/** What the command line asks for. */
export interface BenchOptions {
  readonly scenarios: readonly ScenarioName[];
  readonly rivals: readonly RivalName[];
  readonly quick: boolean;
  readonly rounds: number;
  readonly output: string;
  readonly profileDirectory: string | undefined;
}

export const USAGE = `usage: bench/run.ts [--quick] [--only NAME,…] [--rivals NAME,…] [--rounds N] [--out FILE] [--profile DIR]
  --quick    short windows and few pairs: a look, not a result
  --only     scenarios: ${SCENARIOS.join(', ')}
  --rivals   ${RIVALS.join(', ')}
  --rounds   how often each figure is taken (5, or 2 with --quick)
  --out      JSON file (bench/results/latest.json)
  --profile  directory for CPU profiles of the Node relays`;

/** Reads the command line; throws with a message for people on what it does not know. */
export function parseOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      rivals: { type: 'string' },
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
    rivals: chosen('--rivals', values.rivals, RIVALS),
    quick: values.quick,
    rounds,
    output: values.out ?? fileURLToPath(new URL('results/latest.json', import.meta.url)),
    profileDirectory: values.profile,
  };
}

/** The names of a comma-separated list, in the order in which they are known; all when there is no list. */
export function chosen<T extends string>(
  flag: string,
  list: string | undefined,
  known: readonly T[],
): readonly T[] {
  if (list === undefined) {
    return known;
  }
  const names = list.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!known.some((candidate) => candidate === name)) {
      throw new Error(`${flag}: unknown name "${name}"; known are ${known.join(', ')}`);
    }
  }
  return known.filter((name) => names.includes(name));
}
