import { describeValue } from '@openchambery/daemon';
import type { Environment } from '../config/setting-source.ts';

/** What systemd tells and offers a process through its environment. */
export interface SystemdEnvironment {
  /** The listening socket that it holds for this process (sd_listen_fds(3)). */
  readonly listenFd: number | undefined;
  /** Where it wants to hear about this process (sd_notify(3)). */
  readonly notifySocket: string | undefined;
  /** It ends a process that gives no sign of life for this long, in ms (sd_watchdog_enabled(3)). */
  readonly watchdogMs: number | undefined;
}

/** All variables that are meant for this process alone: none of its children may take them for its own. */
export const SYSTEMD_VARIABLES: readonly string[] = [
  'LISTEN_PID',
  'LISTEN_PIDFDID',
  'LISTEN_FDS',
  'LISTEN_FDNAMES',
  'NOTIFY_SOCKET',
  'WATCHDOG_PID',
  'WATCHDOG_USEC',
];

/** SD_LISTEN_FDS_START of sd-daemon.h. */
const FIRST_FD = 3;

/** Reads what is meant for the process `pid`; one line about what is wrong with it otherwise. */
export function readSystemdEnvironment(env: Environment, pid: number): SystemdEnvironment | string {
  const listenFd = readListenFd(env, pid);
  if (typeof listenFd === 'string') return listenFd;
  return {
    listenFd,
    notifySocket: env['NOTIFY_SOCKET'] === '' ? undefined : env['NOTIFY_SOCKET'],
    watchdogMs: readWatchdog(env, pid),
  };
}

/** Whoever is between systemd and this process may have passed the variables on, but not the sockets. */
function readListenFd(env: Environment, pid: number): number | string | undefined {
  const { LISTEN_PID: forPid, LISTEN_FDS: count } = env;
  if (forPid !== String(pid) || count === undefined) return undefined;
  if (count === '1') return FIRST_FD;
  const expected = '1 (one socket: one ListenStream= in one socket unit)';
  return `Invalid LISTEN_FDS: expected ${expected}, got ${describeValue(count)}`;
}

function readWatchdog(env: Environment, pid: number): number | undefined {
  const { WATCHDOG_PID: forPid, WATCHDOG_USEC: us = '' } = env;
  if (forPid !== undefined && forPid !== String(pid)) return undefined;
  return /^[1-9]\d{0,17}$/.test(us) ? Number(us) / 1000 : undefined;
}
