import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describeMachine, describeVersions } from '../measure/machine.ts';
import { pinGenerator } from '../measure/pinning.ts';
import { ownWaitNs } from '../measure/process-meter.ts';
import type { Check, Measurement } from '../results.ts';
import { alignedTable, checkRows, contentionText, measurementRows } from '../table.ts';
import { makeFleet, writeBindings } from './fleet.ts';
import { parseOptions, type PushBenchOptions, type PushScenarioName, USAGE } from './options.ts';
import type { PushBenchmarkResults } from './results.ts';
import { startProvider } from './rivals/provider.ts';
import { raisedLimits, takeOverBindings } from './rivals/target.ts';
import { latency } from './scenarios/latency.ts';
import { memory } from './scenarios/memory.ts';
import { requests } from './scenarios/requests.ts';
import type { PushBenchContext, PushScenario } from './scenarios/scenario.ts';

const scenarios: Readonly<Record<PushScenarioName, PushScenario>> = { requests, latency, memory };

let options: PushBenchOptions | undefined;
try {
  options = parseOptions(process.argv.slice(2));
} catch (error) {
  console.error(messageOf(error));
  console.error(USAGE);
  process.exitCode = 2;
}
if (options !== undefined) {
  const { failures } = await run(options);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

async function run(chosen: PushBenchOptions): Promise<PushBenchmarkResults> {
  const began = performance.now();
  const pinning = pinGenerator();
  const waitedBefore = ownWaitNs();
  const outcome = await withContext(chosen, pinning, (context) => runScenarios(chosen, context));
  const duration = performance.now() - began;
  const contention = (ownWaitNs() - waitedBefore) / 1e6 / duration;
  const results: PushBenchmarkResults = {
    date: new Date().toISOString(),
    quick: chosen.quick,
    million: chosen.million,
    rounds: chosen.rounds,
    durationSeconds: Math.round(duration / 1000),
    machine: describeMachine(pinning, contention),
    versions: {
      node: process.version,
      sqlite: process.versions.sqlite ?? 'unknown',
      commit: describeVersions().commit,
    },
    limits: raisedLimits,
    ...outcome,
  };
  mkdirSync(dirname(chosen.output), { recursive: true });
  writeFileSync(chosen.output, `${JSON.stringify(results, null, 2)}\n`);
  print(results, chosen.output);
  return results;
}

type Pinning = ReturnType<typeof pinGenerator>;

async function withContext<T>(
  { quick, million, rounds, profileDirectory }: PushBenchOptions,
  pinning: Pinning,
  work: (context: PushBenchContext) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-push-'));
  const provider = await startProvider(pinning, folder);
  try {
    const fleet = makeFleet();
    const bindings = join(folder, 'bindings.sqlite');
    writeBindings(bindings, fleet);
    await takeOverBindings({ pinning, provider, folder, bindings, profileDirectory });
    const progress = (line: string): void => console.error(`  ${line}`);
    return await work({
      pinning,
      provider,
      folder,
      bindings,
      fleet,
      profileDirectory,
      quick,
      million,
      rounds,
      progress,
    });
  } finally {
    await provider.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runScenarios(
  chosen: PushBenchOptions,
  context: PushBenchContext,
): Promise<Pick<PushBenchmarkResults, 'measurements' | 'checks' | 'failures'>> {
  const measurements: Measurement[] = [];
  const checks: Check[] = [];
  const failures: { scenario: string; error: string }[] = [];
  for (const name of chosen.scenarios) {
    try {
      const result = await scenarios[name](context);
      measurements.push(...result.measurements);
      checks.push(...result.checks);
    } catch (error) {
      // One broken scenario must not cost the figures of the others; it is reported and decides the exit code.
      console.error(`!!! ${name} FAILED: ${messageOf(error)}`);
      failures.push({ scenario: name, error: messageOf(error) });
    }
  }
  return { measurements, checks, failures };
}

function print(results: PushBenchmarkResults, output: string): void {
  const { machine, versions } = results;
  console.log(`${machine.cpu}, ${machine.cores} cores, ${machine.pinning}, ${contentionText(machine)}`);
  console.log(`node ${versions.node}, SQLite ${versions.sqlite}, commit ${versions.commit}`);
  for (const { scenario, error } of results.failures) {
    console.log(`FAILED: ${scenario}: ${error}`);
  }
  console.log(`\n${alignedTable(checkRows(results.checks))}`);
  console.log(`\n${alignedTable(measurementRows(results.measurements))}`);
  console.log(`\n${results.durationSeconds} s, written to ${output}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
