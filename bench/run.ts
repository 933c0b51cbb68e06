import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeMachine, describeVersions } from './measure/machine.ts';
import { pinGenerator } from './measure/pinning.ts';
import { ownWaitNs } from './measure/process-meter.ts';
import { type BenchOptions, parseOptions, type ScenarioName, USAGE } from './options.ts';
import type { BenchmarkResults, Check, Measurement } from './results.ts';
import { nginxRival } from './rivals/nginx-stream/nginx.ts';
import { openchamberRival } from './rivals/openchamber.ts';
import { uwsRival } from './rivals/uws/uws.ts';
import { wsRival } from './rivals/ws.ts';
import { burst } from './scenarios/burst.ts';
import { flood } from './scenarios/flood.ts';
import { idle } from './scenarios/idle.ts';
import { pingPong } from './scenarios/ping-pong.ts';
import { refused } from './scenarios/refused.ts';
import type { BenchContext, Scenario } from './scenarios/scenario.ts';
import { setUp } from './scenarios/set-up.ts';
import { sparse } from './scenarios/sparse.ts';
import { stalled } from './scenarios/stalled.ts';
import { alignedTable, checkRows, headLines, measurementRows } from './table.ts';

const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  burst,
  sparse,
  pingpong: pingPong,
  idle,
  setup: setUp,
  refused,
  flood,
  stalled,
};

try {
  const results = await run(parseOptions(process.argv.slice(2)));
  process.exitCode = results.failures.length > 0 ? 1 : 0;
} catch (error) {
  console.error(messageOf(error));
  console.error(USAGE);
  process.exitCode = 2;
}

async function run(options: BenchOptions): Promise<BenchmarkResults> {
  const began = performance.now();
  const pinning = pinGenerator();
  const rivals = [
    openchamberRival(),
    wsRival,
    nginxRival('nginx'),
    nginxRival('nginx-64k'),
    uwsRival(),
  ].filter((rival) => options.rivals.includes(rival.name));
  const unavailable = rivals.flatMap(({ name, unavailable: reason }) =>
    reason === undefined ? [] : [{ rival: name, reason }],
  );
  const waitedBefore = ownWaitNs();
  const context: BenchContext = {
    rivals: rivals.filter((rival) => rival.unavailable === undefined),
    pinning,
    quick: options.quick,
    rounds: options.rounds,
    profileDirectory: options.profileDirectory,
    progress: (line) => console.error(`  ${line}`),
  };
  for (const { rival, reason } of unavailable) {
    console.error(`!!! ${rival} is NOT AVAILABLE: ${reason}`);
  }
  const measurements: Measurement[] = [];
  const checks: Check[] = [];
  const failures: { scenario: string; error: string }[] = [];
  for (const name of options.scenarios) {
    try {
      const result = await scenarios[name].run(context);
      measurements.push(...result.measurements);
      checks.push(...result.checks);
    } catch (error) {
      // One broken scenario must not cost the figures of the others; it is reported and decides the exit code.
      console.error(`!!! ${name} FAILED: ${messageOf(error)}`);
      failures.push({ scenario: name, error: messageOf(error) });
    }
  }
  const duration = performance.now() - began;
  const contention = (ownWaitNs() - waitedBefore) / 1e6 / duration;
  const results: BenchmarkResults = {
    date: new Date().toISOString(),
    quick: options.quick,
    rounds: options.rounds,
    durationSeconds: Math.round(duration / 1000),
    machine: describeMachine(pinning, contention),
    versions: describeVersions(),
    unavailable,
    failures,
    measurements,
    checks,
  };
  mkdirSync(dirname(options.output), { recursive: true });
  writeFileSync(options.output, `${JSON.stringify(results, null, 2)}\n`);
  print(results, options.output);
  return results;
}

function print(results: BenchmarkResults, output: string): void {
  console.log(headLines(results).join('\n'));
  console.log(`\n${alignedTable(checkRows(results.checks))}`);
  console.log(`\n${alignedTable(measurementRows(results.measurements))}`);
  console.log(`\n${results.durationSeconds} s, written to ${output}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
