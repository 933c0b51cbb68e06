import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeMachine, describeVersions } from '../measure/machine.ts';
import type { Check, Measurement } from '../results.ts';
import { alignedTable, checkRows, measurementRows } from '../table.ts';
import { parseOptions, type TunnelBenchOptions, type TunnelScenarioName, USAGE } from './options.ts';
import { OtherWork } from './other-work.ts';
import type { TunnelBenchmarkResults } from './results.ts';
import { bulk } from './scenarios/bulk.ts';
import { ends } from './scenarios/ends.ts';
import type { TunnelScenario } from './scenarios/scenario.ts';
import { small } from './scenarios/small.ts';
import { headLines } from './words.ts';
import { type World, withWorld } from './world.ts';

const scenarios: Readonly<Record<TunnelScenarioName, TunnelScenario>> = { bulk, small, ends };

let options: TunnelBenchOptions | undefined;
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

async function run(chosen: TunnelBenchOptions): Promise<TunnelBenchmarkResults> {
  const began = performance.now();
  const outcome = await withWorld(chosen, async (world) => {
    const otherWork = new OtherWork(world.pids);
    const result = await runScenarios(chosen, world);
    return { ...result, contention: otherWork.share };
  });
  const { contention, ...found } = outcome;
  const { node, ws, bufferutil, commit } = describeVersions();
  const results: TunnelBenchmarkResults = {
    date: new Date().toISOString(),
    quick: chosen.quick,
    usesSources: chosen.usesSources,
    rounds: chosen.rounds,
    durationSeconds: Math.round((performance.now() - began) / 1000),
    machine: describeMachine(undefined, contention),
    versions: { node, ws, bufferutil, commit },
    ...found,
  };
  mkdirSync(dirname(chosen.output), { recursive: true });
  writeFileSync(chosen.output, `${JSON.stringify(results, null, 2)}\n`);
  print(results, chosen.output);
  return results;
}

async function runScenarios(
  { scenarios: names, quick, rounds }: TunnelBenchOptions,
  { routes }: World,
): Promise<Pick<TunnelBenchmarkResults, 'measurements' | 'checks' | 'failures'>> {
  const measurements: Measurement[] = [];
  const checks: Check[] = [];
  const failures: { scenario: string; error: string }[] = [];
  const progress = (line: string): void => console.error(`  ${line}`);
  for (const name of names) {
    try {
      const result = await scenarios[name]({ routes, quick, rounds, progress });
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

function print(results: TunnelBenchmarkResults, output: string): void {
  console.log(headLines(results).join('\n'));
  console.log(`\n${alignedTable(checkRows(results.checks))}`);
  console.log(`\n${alignedTable(measurementRows(results.measurements))}`);
  console.log(`\n${results.durationSeconds} s, written to ${output}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
