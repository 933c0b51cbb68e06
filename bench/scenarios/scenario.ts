import type { Pinning } from '../measure/pinning.ts';
import type { RivalName, ScenarioResult } from '../results.ts';
import type { Rival, RunningRival, StartOptions } from '../rivals/rival.ts';

/** What a scenario runs with. */
export interface BenchContext {
  /** The rivals that were chosen and can run. */
  readonly rivals: readonly Rival[];
  readonly pinning: Pinning | undefined;
  readonly quick: boolean;
  readonly rounds: number;
  readonly profileDirectory: string | undefined;
  /** Says on stderr how far the run is. */
  progress(line: string): void;
}

/** One line of work of the benchmark. */
export interface Scenario {
  readonly name: string;
  run(context: BenchContext): Promise<ScenarioResult>;
}

/** The rivals of a context that take part, in the order given. */
export function participants(context: BenchContext, names: readonly RivalName[]): Rival[] {
  return names.flatMap((name) => context.rivals.filter((rival) => rival.name === name));
}

/** Starts a rival the way the context wants it. */
export function startRival(
  context: BenchContext,
  rival: Rival,
  limits?: StartOptions['limits'],
): Promise<RunningRival> {
  const { pinning, profileDirectory } = context;
  return rival.start(
    limits === undefined ? { pinning, profileDirectory } : { pinning, profileDirectory, limits },
  );
}

/** Starts several rivals, runs `work` with them and stops them whatever happens. */
export async function withRunning<T>(
  starts: readonly (() => Promise<RunningRival>)[],
  work: (running: readonly RunningRival[]) => Promise<T>,
): Promise<T> {
  const running: RunningRival[] = [];
  try {
    for (const start of starts) {
      running.push(await start());
    }
    return await work(running);
  } finally {
    await Promise.all(running.map((rival) => rival.stop()));
  }
}

/** Members in the order of a round: every second round runs backwards, so that a drift meets both ends alike. */
export function inRoundOrder<T>(members: readonly T[], round: number): T[] {
  return round % 2 === 0 ? [...members] : members.toReversed();
}
