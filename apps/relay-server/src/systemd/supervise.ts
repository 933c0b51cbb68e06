import type { Clock, Logger } from '@openchambery/daemon';
import type { SystemdEnvironment } from './environment.ts';
import { Notifier } from './notifier.ts';
import { startNotifyHelper } from './notify-helper.ts';
import { createSupervision } from './supervision.ts';
import type { Supervision } from './supervision.ts';

/** What a daemon gives to its supervision. */
export interface SuperviseParts {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Tells systemd what it wants to hear, if it does. */
export function superviseBySystemd(systemd: SystemdEnvironment, parts: SuperviseParts): Supervision {
  const { clock, logger } = parts;
  const { notifySocket, watchdogMs } = systemd;
  const notifier =
    notifySocket === undefined
      ? undefined
      : new Notifier({ logger, startHelper: (listener) => startNotifyHelper(notifySocket, listener) });
  return createSupervision({ watchdogMs, clock, notifier });
}
