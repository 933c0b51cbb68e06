import { systemClock } from '@openchambery/daemon';
import { createRelayServer } from '@openchambery/relay';
import type { Logger } from 'pino';
import { describeCrash } from '../cli/crash.ts';
import { describeListenFailure } from '../cli/listen-failure.ts';
import type { ServePlan } from '../cli/program.ts';
import { serveDaemon } from '../cli/serve-daemon.ts';
import type { Daemon } from '../cli/serve-daemon.ts';
import { reportFailure } from '../cli/startup-report.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Environment } from '../config/setting-source.ts';
import { findUnknownVariables } from '../config/unknown-variables.ts';
import { describeOldNode } from '../push/node-version.ts';
import type { PushConfig } from '../push/resolve-config.ts';
import { PUSH_SETTINGS } from '../push/settings.ts';
import { announceRelay } from '../relay/announcement.ts';
import type { RelayConfig } from '../relay/resolve-config.ts';
import type { RelaySurroundings } from '../relay/serve.ts';
import { RELAY_SETTINGS } from '../relay/settings.ts';
import { resolveMountedConfig } from './mounted-config.ts';
import { createMountedPush } from './mounted-push.ts';
import { PushStartError } from './push-start-error.ts';
import type { WorkerCode } from './worker-thread.ts';

/** Runs the relay with push on its listener. */
export async function serveCombined(
  plan: ServePlan<RelayConfig>,
  surroundings: RelaySurroundings,
): Promise<void> {
  const { env, output, pushWorker, systemd } = surroundings;
  const push = configure(plan.config, env);
  if (typeof push === 'string') {
    reportFailure(output, plan.style, push);
    process.exitCode = 1;
    return;
  }
  const { config } = plan;
  const { listenFd } = systemd;
  await serveDaemon(
    {
      logLevel: config.logLevel,
      unknownVariables: [...plan.unknownVariables, ...findUnknownVariables(PUSH_SETTINGS, env)],
      createDaemon: (logger) => createCombinedDaemon(config, { push, pushWorker, listenFd, logger }),
      configured: config,
      announce: (address) => announceRelay({ ...config, ...address }, 'mounted'),
      describeFailure: (error) =>
        error instanceof PushStartError
          ? error.message
          : describeListenFailure(error, { ...config, listenFd, prefix: RELAY_SETTINGS.prefix }),
      describeCrash,
    },
    { output, systemd, style: plan.style },
  );
}

/** Push's configuration, or one line about what is wrong with it. */
function configure(relay: RelayConfig, env: Environment): PushConfig | string {
  try {
    return describeOldNode(process.versions.node) ?? resolveMountedConfig(relay, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

interface Parts {
  readonly push: PushConfig;
  readonly pushWorker: WorkerCode;
  readonly listenFd: number | undefined;
  readonly logger: Logger;
}

function createCombinedDaemon({ logLevel: _logLevel, ...options }: RelayConfig, parts: Parts): Daemon {
  const { listenFd, logger } = parts;
  const push = createMountedPush({
    config: parts.push,
    worker: parts.pushWorker,
    clock: systemClock,
    logger: logger.child({}, { level: parts.push.logLevel }),
  });
  const relay = createRelayServer({ ...options, listenFd, logger, mounts: [push.mount] });
  return {
    start: async () => {
      await push.start();
      try {
        await relay.start();
      } catch (error) {
        await push.close();
        throw error;
      }
    },
    address: () => relay.address(),
    close: async () => {
      await Promise.all([relay.close(), push.close()]);
    },
    cut: () => push.cut(),
  };
}
