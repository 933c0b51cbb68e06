import { runDaemon, spawnDaemon, startDaemon } from './daemon-process.ts';
import type {
  CommandOptions,
  DaemonCommand,
  DaemonProcess,
  FinishedCommand,
  StartOptions,
  TestedProgram,
} from './daemon-process.ts';

/** What the relay's own variables start with. */
export const RELAY_PREFIX = 'OPENCHAMBER_RELAY_SERVER_';

const RELAY: TestedProgram = {
  name: 'openchamber-relay',
  commandVariable: 'OPENCHAMBER_RELAY_COMMAND',
  prefix: RELAY_PREFIX,
};

export type RelayCommandOptions = CommandOptions;
export type StartRelayOptions = StartOptions;
/** A started relay command of which nothing is known yet. */
export type RelayCommand = DaemonCommand;

/** A relay that listens. */
export interface RelayProcess extends DaemonProcess {
  /** `ws://host:port/path`, where the relay listens, whatever URL it announces. */
  readonly url: string;
  readonly path: string;
}

/** Starts the relay's command as it is told, without waiting for anything. */
export function spawnRelay(options: RelayCommandOptions = {}): RelayCommand {
  return spawnDaemon(RELAY, options);
}

/** Runs the relay's command to its end: for help, version and refused configurations. */
export function runRelay(options: RelayCommandOptions = {}): Promise<FinishedCommand> {
  return runDaemon(RELAY, options);
}

/** Starts a relay on a free port and waits until it listens. */
export async function startRelay(options: StartRelayOptions = {}): Promise<RelayProcess> {
  const relay = await startDaemon(RELAY, options);
  const path = String(relay.announced['path']);
  return { ...relay, url: `ws://${relay.authority}${path}`, path };
}
