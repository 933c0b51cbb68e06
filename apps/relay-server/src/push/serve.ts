import { createPushServer } from '@openchambery/push';
import { describeCrashPlace } from '../cli/crash.ts';
import type { ServePlan, Surroundings } from '../cli/program.ts';
import { serveDaemon } from '../cli/serve-daemon.ts';
import { urlHost } from '../cli/startup-report.ts';
import type { PushConfig } from './resolve-config.ts';
import { describeStartFailure } from './start-failure.ts';

/** Runs the push relay by itself. */
export function serve(plan: ServePlan<PushConfig>, { output }: Surroundings): Promise<void> {
  const { logLevel, ...options } = plan.config;
  const { host, port } = options;
  const url = `http://${urlHost(host)}:${port}`;
  return serveDaemon(
    {
      logLevel,
      unknownVariables: plan.unknownVariables,
      createDaemon: (logger) => createPushServer({ ...options, logger }),
      announcement: { lines: [`Push relay listening at ${url}`], fields: { url, host, port } },
      describeFailure: (error) => describeStartFailure(error, { host, port }),
      // A message of the JSON parser or the database may quote what a stranger sent.
      describeCrash: describeCrashPlace,
    },
    { output, style: plan.style },
  );
}
