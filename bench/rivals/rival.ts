import type { PairSource } from '../load/pairs.ts';
import type { Pinning } from '../measure/pinning.ts';
import type { RivalName } from '../results.ts';

/** How a rival shall be started. */
export interface StartOptions {
  readonly pinning: Pinning | undefined;
  /** Relay limits that differ from the benchmark's raised ones, by name without prefix; ours alone reads them. */
  readonly limits?: Readonly<Record<string, string>>;
  /** Where a Node rival writes its CPU profile. */
  readonly profileDirectory?: string | undefined;
}

/** A rival that runs as its own process. */
export interface RunningRival extends PairSource {
  readonly name: RivalName;
  /** The process whose CPU time and memory count. */
  readonly pid: number;
  readonly port: number;
  /** Set where the rival cannot stop reading: the generator then bounds what is under way. */
  readonly maxUnderWayBytes?: number;
  stop(): Promise<void>;
}

/** A rival, or why it cannot take part. */
export interface Rival {
  readonly name: RivalName;
  /** Undefined when it can run. */
  readonly unavailable: string | undefined;
  start(options: StartOptions): Promise<RunningRival>;
}
