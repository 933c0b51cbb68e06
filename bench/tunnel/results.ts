import type { Machine, ScenarioResult } from '../results.ts';

/** What was measured, in which version. */
export interface TunnelVersions {
  readonly node: string;
  readonly ws: string;
  /** Whether `ws` of the plain hops and of Host and Client found its native masking. */
  readonly bufferutil: string;
  readonly commit: string;
}

/** The JSON that a run writes and the report reads. */
export interface TunnelBenchmarkResults extends ScenarioResult {
  readonly date: string;
  readonly quick: boolean;
  readonly usesSources: boolean;
  readonly rounds: number;
  readonly durationSeconds: number;
  /** `contention` is the share of all cores that programs outside of this benchmark used. */
  readonly machine: Machine;
  readonly versions: TunnelVersions;
  /** Scenarios that ended in an error, and the error. */
  readonly failures: readonly { readonly scenario: string; readonly error: string }[];
}
