import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Which cores the generator and the relay under test run on; undefined where pinning is impossible. */
export interface Pinning {
  readonly generatorCore: number;
  readonly relayCore: number;
}

/** Pins this process (the load generator) to the first core, and says where relays shall run. */
export function pinGenerator(): Pinning | undefined {
  if (availableParallelism() < 2 || spawnSync('taskset', ['--version']).error !== undefined) {
    return undefined;
  }
  const pinning = { generatorCore: 0, relayCore: 1 };
  const result = spawnSync('taskset', ['-a', '-p', '-c', String(pinning.generatorCore), String(process.pid)]);
  return result.status === 0 ? pinning : undefined;
}

/** The command line that runs `command` on the relay's core. */
export function pinnedCommand(pinning: Pinning | undefined, command: readonly string[]): string[] {
  return pinning === undefined ? [...command] : ['taskset', '-c', String(pinning.relayCore), ...command];
}
