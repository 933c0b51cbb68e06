import type { Program, ServePlan, Surroundings } from '../cli/program.ts';
import { reportFailure } from '../cli/startup-report.ts';
import { hideExperimentalWarnings } from './node-warnings.ts';
import { describeOldNode } from './node-version.ts';
import { resolvePushConfig } from './resolve-config.ts';
import type { PushConfig } from './resolve-config.ts';
import { PUSH_SETTINGS } from './settings.ts';
import type { PushOption } from './settings.ts';

/** `openchamber-push-relay`. */
export const pushProgram: Program<PushOption, PushConfig> = {
  command: 'openchamber-push-relay',
  noun: 'push relay',
  notes: [],
  table: PUSH_SETTINGS,
  resolveConfig: resolvePushConfig,
  serve: servePush,
};

async function servePush(plan: ServePlan<PushConfig>, surroundings: Surroundings): Promise<void> {
  const problem = describeOldNode(process.versions.node);
  if (problem !== undefined) {
    reportFailure(surroundings.output, plan.style, problem);
    process.exitCode = 1;
    return;
  }
  hideExperimentalWarnings();
  // Only now: what it loads does not link on an older Node.js, and help and version need none of it.
  const { serve } = await import('./serve.ts');
  await serve(plan, surroundings);
}
