import type { Clock } from '@openchambery/daemon';
import type { SystemdEnvironment } from './environment.ts';
import type { Notifier } from './notifier.ts';

/** What systemd hears of a daemon's life; it is safe to tell everything where there is no systemd. */
export interface Supervision {
  /** It serves; `status` is one line for `systemctl status`. */
  ready(status: string): void;
  /** It has begun to stop. */
  stopping(): void;
}

/** What a {@link Supervision} needs. */
export interface SupervisionParts {
  readonly watchdogMs: SystemdEnvironment['watchdogMs'];
  readonly clock: Clock;
  /** Undefined where nobody wants to hear. */
  readonly notifier: Pick<Notifier, 'notify' | 'isIdle'> | undefined;
}

/** Tells systemd when a daemon is ready, lives and stops. */
export function createSupervision({ watchdogMs, clock, notifier }: SupervisionParts): Supervision {
  if (notifier === undefined) {
    return { ready: () => undefined, stopping: () => undefined };
  }
  // From the event loop, so that a daemon whose loop hangs is silent.
  const showLife = (everyMs: number): void => {
    clock.setTimer(() => {
      if (notifier.isIdle) notifier.notify('WATCHDOG=1');
      showLife(everyMs);
    }, everyMs);
  };
  return {
    ready: (status) => {
      notifier.notify('READY=1', `STATUS=${status}`);
      // sd_watchdog_enabled(3): half of the time.
      if (watchdogMs !== undefined) showLife(Math.min(Math.max(1, watchdogMs / 2), MAX_TIMER_MS));
    },
    stopping: () => notifier.notify('STOPPING=1', 'STATUS=Stopping: connections are being closed'),
  };
}

/** The longest that Node's timers can wait, in ms. */
const MAX_TIMER_MS = 0x7fff_ffff;
