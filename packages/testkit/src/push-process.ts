import { runDaemon, spawnDaemon, startDaemon } from './daemon-process.ts';
import type {
  CommandOptions,
  DaemonCommand,
  DaemonProcess,
  FinishedCommand,
  StartOptions,
  TestedProgram,
} from './daemon-process.ts';

/** What the push relay's own variables start with. */
export const PUSH_PREFIX = 'OPENCHAMBER_PUSH_RELAY_';

const PUSH: TestedProgram = {
  name: 'openchamber-push-relay',
  commandVariable: 'OPENCHAMBER_PUSH_RELAY_COMMAND',
  prefix: PUSH_PREFIX,
};

export type PushCommandOptions = CommandOptions;
export type StartPushOptions = StartOptions;
/** A started push relay command of which nothing is known yet. */
export type PushCommand = DaemonCommand;

/** A push relay that listens. */
export interface PushProcess extends DaemonProcess {
  /** `http://host:port`, where the push relay listens. */
  readonly url: string;
}

/** Starts the push relay's command as it is told, without waiting for anything. */
export function spawnPush(options: PushCommandOptions = {}): PushCommand {
  return spawnDaemon(PUSH, options);
}

/** Runs the push relay's command to its end: for help, version and refused configurations. */
export function runPush(options: PushCommandOptions = {}): Promise<FinishedCommand> {
  return runDaemon(PUSH, options);
}

/** Starts a push relay on a free port and waits until it listens. What has no default is up to `options`. */
export async function startPush(options: StartPushOptions = {}): Promise<PushProcess> {
  const push = await startDaemon(PUSH, options);
  return { ...push, url: `http://${push.authority}` };
}
