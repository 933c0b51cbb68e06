import type { Program } from '../cli/program.ts';
import type { WorkerCode } from '../combined/worker-thread.ts';
import { resolveRelayConfig } from './resolve-config.ts';
import type { RelayConfig } from './resolve-config.ts';
import { serveRelay } from './serve.ts';
import { RELAY_SETTINGS } from './settings.ts';
import type { RelayOption } from './settings.ts';

/** `openchamber-relay`. In combined mode it runs push in a worker thread, whose code is `pushWorker`. */
export function createRelayProgram(pushWorker: WorkerCode): Program<RelayOption, RelayConfig> {
  return {
    command: 'openchamber-relay',
    noun: 'relay',
    notes: [
      'Any OPENCHAMBER_PUSH_RELAY_APNS_* variable puts the push relay on the same listener, at /v1/push/*; ' +
        'openchamber-push-relay --help lists its variables.',
    ],
    table: RELAY_SETTINGS,
    resolveConfig: resolveRelayConfig,
    serve: (plan, surroundings) => serveRelay(plan, { ...surroundings, pushWorker }),
  };
}
