import type { Spread } from './measure/statistics.ts';

/** Who was measured. */
export type RivalName =
  | 'ours'
  | 'ws'
  | 'nginx'
  | 'nginx-64k'
  | 'uws'
  | 'push'
  | 'plain-push'
  | 'tunnel'
  | 'tunnel-sockets'
  | 'hops'
  | 'hops-http'
  | 'direct';

/** One figure of one rival, over all rounds. */
export interface Measurement {
  readonly scenario: string;
  /** The case inside the scenario, such as a frame size. */
  readonly variant: string;
  readonly rival: RivalName;
  readonly figure: string;
  readonly unit: string;
  readonly spread: Spread;
  readonly rounds: readonly number[];
}

/** `no target`: given because readers will ask, but nothing was promised. */
export type Verdict = 'met' | 'missed' | 'not available' | 'no target';

/** One target of the benchmark, and what was found. */
export interface Check {
  readonly scenario: string;
  readonly variant: string;
  readonly figure: string;
  /** The target as people read it, such as `≤ 0.25`. */
  readonly target: string;
  readonly unit: string;
  readonly verdict: Verdict;
  readonly spread?: Spread;
  /** Why there is no value, or what a reader must know beside it. */
  readonly note?: string;
}

/** What a scenario gives back. */
export interface ScenarioResult {
  readonly measurements: readonly Measurement[];
  readonly checks: readonly Check[];
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  /** Share of the run in which the generator was ready but other work held its core, 0 to 1. */
  readonly contention: number;
  readonly pinning: string;
}

export interface Versions {
  readonly node: string;
  readonly ws: string;
  readonly bufferutil: string;
  readonly nginx: string;
  readonly commit: string;
}

/** The JSON that a run writes and the report reads. */
export interface BenchmarkResults extends ScenarioResult {
  readonly date: string;
  readonly quick: boolean;
  readonly rounds: number;
  readonly durationSeconds: number;
  readonly machine: Machine;
  readonly versions: Versions;
  /** Rivals that could not run, and why. */
  readonly unavailable: readonly { readonly rival: RivalName; readonly reason: string }[];
  /** Scenarios that ended in an error, and the error. */
  readonly failures: readonly { readonly scenario: string; readonly error: string }[];
}
