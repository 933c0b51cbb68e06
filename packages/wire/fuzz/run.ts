import { parseArgs } from 'node:util';
import { runCase } from './case.ts';
import type { CaseResult } from './case.ts';
import type { SidePlan, Step } from './plan.ts';
import { TcpDoor } from './tcp-door.ts';

const DEFAULT_CASES = 10_000;
const REPORT_EVERY_MS = 30_000;
/** A run that fails everywhere need not say so a thousand times. */
const MAX_FAILURES = 20;

/** Steps of a side that are told of one by one. */
const MAX_STEPS_TOLD = 30;

const HELP = `Differential fuzzing of packages/wire: random peers on both ends of a relayed pair, judged by the ws library
and by a decoder of its own.

  --seed N     the first seed, or "random" (default 1); alone it plays that one case and tells about it
  --cases N    how many cases, with seeds in a row (default ${DEFAULT_CASES}, or 1 with --seed)
`;

interface Options {
  readonly firstSeed: number;
  readonly cases: number;
  readonly isTold: boolean;
}

function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, cases: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) return undefined;
  const { seed, cases } = values;
  const firstSeed =
    seed === 'random' ? Math.floor(Math.random() * 0x7fff_0000) : readCount('--seed', seed ?? '1');
  return {
    firstSeed,
    cases: cases === undefined ? (seed === undefined ? DEFAULT_CASES : 1) : readCount('--cases', cases),
    isTold: seed !== undefined && cases === undefined,
  };
}

function readCount(name: string, text: string): number {
  if (!/^\d{1,9}$/u.test(text))
    throw new Error(`${name} takes a whole number below 10^9, got ${JSON.stringify(text)}`);
  return Number(text);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(options: Options): Promise<number> {
  const door = await TcpDoor.open();
  const startMs = performance.now();
  const totals = { cases: 0, messages: 0, bytes: 0, failures: 0 };
  const traits = new Map<string, number>();
  let reportedMs = startMs;
  for (let seed = options.firstSeed; seed < options.firstSeed + options.cases; seed++) {
    const result = await runCase(seed, door);
    totals.cases++;
    totals.messages += result.messages;
    totals.bytes += result.bytes;
    for (const trait of result.traits) traits.set(trait, (traits.get(trait) ?? 0) + 1);
    if (options.isTold) print(tell(result));
    if (result.faults.length > 0) {
      totals.failures++;
      printFailure(seed, result);
      if (totals.failures === MAX_FAILURES) break;
    }
    if (performance.now() - reportedMs < REPORT_EVERY_MS) continue;
    reportedMs = performance.now();
    print(`${totals.cases} of ${options.cases} cases, ${totals.failures} failures`);
  }
  door.close();
  print(
    [...traits]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([trait, count]) => `${trait}: ${count}`)
      .join(', '),
  );
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const megabytes = (totals.bytes / 1e6).toFixed(0);
  print(
    `fuzz: ${totals.cases} cases from seed ${options.firstSeed}, ${totals.messages} messages, ${megabytes} MB, ` +
      `${totals.failures} failures, ${seconds} s`,
  );
  return totals.failures === 0 ? 0 : 1;
}

function printFailure(seed: number, { faults }: CaseResult): void {
  print(`seed ${seed} fails:`);
  for (const fault of faults) print(`  ${fault}`);
  print(`  again: node --conditions=@openchambery/source packages/wire/fuzz/run.ts --seed ${seed}`);
}

function tell({ plan, turns, messages }: CaseResult): string {
  const { sides, ...rest } = plan;
  const lines = [JSON.stringify(rest, undefined, 2), ...sides.map(tellSide)];
  return `${lines.join('\n')}\n${turns} turns, ${messages} messages came out`;
}

function tellSide(side: SidePlan, index: number): string {
  const { steps, ...rest } = side;
  const told = steps.map((step) => `  ${tellStep(step)}`);
  const left = told.splice(MAX_STEPS_TOLD, told.length - MAX_STEPS_TOLD - 3);
  if (left.length > 0) told.splice(MAX_STEPS_TOLD, 0, `  … ${left.length} more steps`);
  return `side ${index}: ${JSON.stringify(rest)}\n${told.join('\n')}`;
}

function tellStep(step: Step): string {
  if (step.kind === 'write') {
    return `write ${step.bytes.length} bytes ${step.bytes.subarray(0, 20).toString('hex')}${step.isBoundary ? ' |' : ''}`;
  }
  if (step.kind === 'send') {
    return `send ${step.isBinary ? 'binary' : 'text'} of ${step.data.length} bytes${step.fin ? '' : ', to be continued'}`;
  }
  return JSON.stringify(step, (_key, value: unknown) =>
    isBytes(value) ? `${value.data.length} bytes` : value,
  );
}

/** What JSON.stringify makes of a buffer before it asks. */
function isBytes(value: unknown): value is { readonly data: readonly number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
}

const options = readOptions();
if (options === undefined) process.stdout.write(HELP);
else process.exitCode = await main(options);
