import { relayPairSource } from '../load/relay-host.ts';
import type { RivalName } from '../results.ts';
import { freePort, startChild } from './child.ts';
import type { RunningRival, StartOptions } from './rival.ts';

/** A relay that runs on the Node of this process and speaks Layer 1. */
export interface NodeRelay {
  readonly name: RivalName;
  /** Program and arguments for a port. */
  readonly args: (port: number) => string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly readyText: string;
}

/** Starts it on a free port; with a profile directory it writes a CPU profile there when it ends. */
export async function startNodeRelay(relay: NodeRelay, options: StartOptions): Promise<RunningRival> {
  const port = await freePort();
  const profile =
    options.profileDirectory === undefined
      ? []
      : [
          '--cpu-prof',
          `--cpu-prof-dir=${options.profileDirectory}`,
          `--cpu-prof-name=${relay.name}-${port}.cpuprofile`,
        ];
  const child = await startChild({
    command: [process.execPath, ...profile, ...relay.args(port)],
    pinning: options.pinning,
    env: relay.env ?? {},
    readyText: relay.readyText,
  });
  const source = relayPairSource(port);
  return {
    name: relay.name,
    port,
    pid: child.pid,
    open: (count) => source.open(count),
    dispose: () => source.dispose(),
    stop: async () => {
      source.dispose();
      await child.stop();
    },
  };
}
