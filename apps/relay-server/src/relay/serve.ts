import { createRelayServer } from '@openchambery/relay';
import { describeCrash } from '../cli/crash.ts';
import { describeListenFailure } from '../cli/listen-failure.ts';
import type { ServePlan, Surroundings } from '../cli/program.ts';
import { serveDaemon } from '../cli/serve-daemon.ts';
import { isCombined } from '../combined/mode.ts';
import type { WorkerCode } from '../combined/worker-thread.ts';
import { announceRelay } from './announcement.ts';
import type { RelayConfig } from './resolve-config.ts';
import { RELAY_SETTINGS } from './settings.ts';

/** What the relay has around it: in combined mode it runs push in a worker thread, whose code is `pushWorker`. */
export interface RelaySurroundings extends Surroundings {
  readonly pushWorker: WorkerCode;
}

/** Runs the relay, and push beside it when the environment says so. */
export async function serveRelay(
  plan: ServePlan<RelayConfig>,
  surroundings: RelaySurroundings,
): Promise<void> {
  if (isCombined(surroundings.env)) {
    // Only now: a relay by itself loads nothing of push.
    const { serveCombined } = await import('../combined/serve.ts');
    return serveCombined(plan, surroundings);
  }
  const { logLevel, ...options } = plan.config;
  const { output, systemd } = surroundings;
  const { listenFd } = systemd;
  return serveDaemon(
    {
      logLevel,
      unknownVariables: plan.unknownVariables,
      createDaemon: (logger) => createRelayServer({ ...options, listenFd, logger }),
      configured: options,
      announce: (address) => announceRelay({ ...options, ...address }, 'absent'),
      describeFailure: (error) =>
        describeListenFailure(error, { ...options, listenFd, prefix: RELAY_SETTINGS.prefix }),
      describeCrash,
    },
    { output, systemd, style: plan.style },
  );
}
