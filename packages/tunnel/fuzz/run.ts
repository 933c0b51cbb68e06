import { parseArgs } from 'node:util';
import { runCase } from './case.ts';

const DEFAULT_CASES = 100_000;
/** A run that fails everywhere need not say so a thousand times. */
const MAX_FAILURES = 20;

const HELP = `Mutation fuzzing of everything in packages/tunnel that parses what strangers send.

  --seed N     the first seed, or "random" (default 1); alone it plays that one case
  --cases N    how many cases, with seeds in a row (default ${DEFAULT_CASES}, or 1 with --seed)
`;

function readCount(name: string, text: string): number {
  if (!/^\d{1,9}$/u.test(text))
    throw new Error(`${name} takes a whole number below 10^9, got ${JSON.stringify(text)}`);
  return Number(text);
}

function main(seedText: string | undefined, casesText: string | undefined): number {
  const seed =
    seedText === 'random' ? Math.floor(Math.random() * 0x7fff_0000) : readCount('--seed', seedText ?? '1');
  const fewest = seedText === undefined ? DEFAULT_CASES : 1;
  const cases = casesText === undefined ? fewest : readCount('--cases', casesText);
  const startMs = performance.now();
  let failures = 0;
  for (let number = 0; number < cases && failures < MAX_FAILURES; number++) {
    const faults = runCase(seed + number);
    if (faults.length === 0) continue;
    failures++;
    process.stdout.write(`seed ${seed + number} fails:\n${faults.map((fault) => `  ${fault}\n`).join('')}`);
  }
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  process.stdout.write(`fuzz: ${cases} cases from seed ${seed}, ${failures} failures, ${seconds} s\n`);
  return failures === 0 ? 0 : 1;
}

const { values } = parseArgs({
  options: { seed: { type: 'string' }, cases: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help === true) process.stdout.write(HELP);
else process.exitCode = main(values.seed, values.cases);
