import type { ScenarioResult } from '../../results.ts';
import type { FleetServer } from '../fleet.ts';
import type { Target, TargetOptions } from '../rivals/target.ts';

/** What a scenario runs with. */
export interface PushBenchContext extends TargetOptions {
  readonly fleet: readonly FleetServer[];
  readonly quick: boolean;
  readonly million: boolean;
  readonly rounds: number;
  /** Says on stderr how far the run is. */
  readonly progress: (line: string) => void;
}

/** One line of work of the benchmark. */
export type PushScenario = (context: PushBenchContext) => Promise<ScenarioResult>;

/** Starts targets, runs `work` with them and stops them whatever happens. */
export async function withTargets<T>(
  starts: readonly (() => Promise<Target>)[],
  work: (targets: readonly Target[]) => Promise<T>,
): Promise<T> {
  const targets: Target[] = [];
  try {
    for (const start of starts) {
      targets.push(await start());
    }
    return await work(targets);
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
  }
}
