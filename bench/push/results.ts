import type { Machine, ScenarioResult } from '../results.ts';

/** What was measured, in which version. */
export interface PushVersions {
  readonly node: string;
  readonly sqlite: string;
  readonly commit: string;
}

/** The JSON that a run writes and the report reads. */
export interface PushBenchmarkResults extends ScenarioResult {
  readonly date: string;
  readonly quick: boolean;
  readonly million: boolean;
  readonly rounds: number;
  readonly durationSeconds: number;
  readonly machine: Machine;
  readonly versions: PushVersions;
  /** Limits of the push relay that differ from the defaults, by name without prefix. */
  readonly limits: Readonly<Record<string, string>>;
  /** Scenarios that ended in an error, and the error. */
  readonly failures: readonly { readonly scenario: string; readonly error: string }[];
}
