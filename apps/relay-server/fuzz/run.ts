// Fuzzes the push API of the installed commands over real sockets: see --help.
import { parseArgs } from 'node:util';
import { MAX_FAULTS, playRound } from './round.ts';
import { selfTest } from './self-test.ts';
import { startTarget } from './target.ts';
import type { Mode } from './target.ts';

const DEFAULT_CASES = 10_000;
const ANSWER_MS = 20_000;
const MAX_SEED = 900_000_000;

const HELP = `Fuzzes the push API of the installed commands: hostile and half-right requests over many connections, between
services that misbehave. Nothing that goes in may come out in a log or an answer, every request gets an answer of the
contract, ordinary requests keep working, and memory and descriptors come back. Needs the build, and Linux.

  --seed N       the first seed, or "random" (default 1)
  --cases N      how many cases, with seeds in a row (default ${DEFAULT_CASES}, or 1 with --seed N)
  --mode MODE    standalone, combined, or both with half of the cases each (default both)
  --self-test    breaks what the fuzz sees, in one way after the other, and checks that it notices
`;

interface Options {
  readonly firstSeed: number;
  readonly cases: number;
  readonly modes: readonly Mode[];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function readCount(name: string, text: string): number {
  if (!/^\d{1,9}$/u.test(text))
    throw new Error(`${name} takes a whole number below 10^9, got ${JSON.stringify(text)}`);
  return Number(text);
}

function readModes(text: string): readonly Mode[] {
  if (text === 'both') return ['standalone', 'combined'];
  if (text === 'standalone' || text === 'combined') return [text];
  throw new Error(`--mode takes standalone, combined or both, got ${JSON.stringify(text)}`);
}

async function main({ firstSeed, cases, modes }: Options): Promise<number> {
  let faultCount = 0;
  const startMs = performance.now();
  print(`fuzz of push: seed ${firstSeed}, ${cases} cases`);
  for (const [round, mode] of modes.entries()) {
    const share =
      Math.floor(((round + 1) * cases) / modes.length) - Math.floor((round * cases) / modes.length);
    const from = firstSeed + Math.floor((round * cases) / modes.length);
    // One case alone is played in every mode.
    const options = cases < modes.length ? { firstSeed, cases } : { firstSeed: from, cases: share };
    const target = await startTarget(mode);
    try {
      const onFault = (fault: string): void => print(`FAILED (${mode}): ${fault}`);
      const result = await playRound({ target, ...options, answerMs: ANSWER_MS, onFault });
      faultCount += result.faults.length;
      const traits = [...result.traits].sort(([one], [other]) => (one < other ? -1 : 1));
      print(traits.map(([trait, count]) => `${trait}: ${count}`).join(', '));
      print(result.told);
    } finally {
      await target.close();
    }
    if (faultCount >= MAX_FAULTS) break;
  }
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const own = (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
  print(
    `fuzz of push: ${cases} cases from seed ${firstSeed}, ${faultCount} failures, ${seconds} s, ${own.toFixed(1)} s of CPU here`,
  );
  if (faultCount > 0) {
    print(
      `  one seed: npm run fuzz:push -- --seed N [--mode MODE]; all of it: npm run fuzz:push -- --seed ${firstSeed} --cases ${cases}`,
    );
  }
  return faultCount === 0 ? 0 : 1;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    cases: { type: 'string' },
    mode: { type: 'string', default: 'both' },
    'self-test': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const { seed, cases } = values;
if (values.help) {
  process.stdout.write(HELP);
} else if (process.platform !== 'linux') {
  print('SKIPPED: the fuzz of push reads /proc and runs on Linux only');
} else if (values['self-test']) {
  process.exit(await selfTest(print));
} else {
  const code = await main({
    firstSeed: seed === 'random' ? Math.floor(Math.random() * MAX_SEED) : readCount('--seed', seed ?? '1'),
    cases:
      cases === undefined
        ? seed === undefined || seed === 'random'
          ? DEFAULT_CASES
          : 1
        : readCount('--cases', cases),
    modes: readModes(values.mode),
  });
  // What is left of the services need not be waited for.
  process.exit(code);
}
