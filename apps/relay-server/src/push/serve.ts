import { createPushServer } from '@openchambery/push';
import { describeCrashPlace } from '../cli/crash.ts';
import type { ServePlan, Surroundings } from '../cli/program.ts';
import { serveDaemon } from '../cli/serve-daemon.ts';
import { urlHost } from '../cli/startup-report.ts';
import type { Announcement, ListenAddress } from '../cli/startup-report.ts';
import type { PushConfig } from './resolve-config.ts';
import { describeStartFailure } from './start-failure.ts';

/** Runs the push relay by itself. */
export function serve(plan: ServePlan<PushConfig>, surroundings: Surroundings): Promise<void> {
  const { logLevel, ...options } = plan.config;
  const { output, systemd } = surroundings;
  const { listenFd } = systemd;
  return serveDaemon(
    {
      logLevel,
      unknownVariables: plan.unknownVariables,
      createDaemon: (logger) => createPushServer({ ...options, listenFd, logger }),
      configured: options,
      announce: announcePush,
      describeFailure: (error) => describeStartFailure(error, { ...options, listenFd }),
      // A message of the JSON parser or the database may quote what a stranger sent.
      describeCrash: describeCrashPlace,
    },
    { output, systemd, style: plan.style },
  );
}

function announcePush({ host, port }: ListenAddress): Announcement {
  const url = `http://${urlHost(host)}:${port}`;
  return { lines: [`Push relay listening at ${url}`], fields: { url, host, port } };
}
