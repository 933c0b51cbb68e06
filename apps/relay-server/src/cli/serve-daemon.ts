import { describeValue, systemClock } from '@openchambery/daemon';
import type { Logger } from 'pino';
import type { LogLevel } from '../config/settings.ts';
import type { UnknownVariable } from '../config/unknown-variables.ts';
import type { SystemdEnvironment } from '../systemd/environment.ts';
import { superviseBySystemd } from '../systemd/supervise.ts';
import { exitAfterOutput, exitNow } from './exit.ts';
import type { Cuttable, ExitDuties } from './exit.ts';
import { createLog } from './log.ts';
import type { Log } from './log.ts';
import { reportFailure, reportStarted } from './startup-report.ts';
import type { Announcement, ListenAddress, Output, ReportStyle } from './startup-report.ts';
import { createStopSignalHandler, STOP_SIGNALS } from './stop-signals.ts';
import type { StopHandlers } from './stop-signals.ts';

/** What is started and stopped; each once. */
export interface Daemon extends Cuttable {
  /** Rejects when it cannot serve. */
  start(): Promise<void>;
  /** Where it listens, once it does. */
  address(): ListenAddress;
  /** Resolves when all is gone; bounded in time by itself. */
  close(): Promise<void>;
}

/** A daemon to run, and what there is to say about it. */
export interface Serving {
  readonly logLevel: LogLevel;
  readonly unknownVariables: readonly UnknownVariable[];
  /** The logger is pino's, so that parts of a daemon can have levels of their own. */
  createDaemon(logger: Logger): Daemon;
  /** Where it was told to listen. */
  readonly configured: ListenAddress;
  announce(address: ListenAddress): Announcement;
  /** One printable line about why `start` rejected. */
  describeFailure(error: unknown): string;
  /** What may stand in the log about a bug. */
  describeCrash(error: unknown): Record<string, unknown>;
}

/** What a daemon is run in, and where the outcome of start-up goes. */
export interface StartSurroundings {
  readonly output: Output;
  readonly systemd: SystemdEnvironment;
  readonly style: ReportStyle;
}

/** Starts a daemon and reports the outcome; from then on signals end the process. */
export async function serveDaemon(serving: Serving, surroundings: StartSurroundings): Promise<void> {
  const { output, style, systemd } = surroundings;
  const log = await createLog({ level: serving.logLevel, isTerminal: process.stderr.isTTY });
  const duties: ExitDuties = { log };
  const crash = (error: unknown): void => {
    log.crash(serving.describeCrash(error));
    void exitNow(1, duties);
  };
  process.on('uncaughtException', crash);
  warnAbout(serving.unknownVariables, log.logger);

  const supervision = superviseBySystemd(systemd, { clock: systemClock, logger: log.logger });
  const daemon = serving.createDaemon(log.logger);
  duties.daemon = daemon;
  const started = daemon.start();
  const stop = async (): Promise<never> => {
    supervision.stopping();
    await daemon.close();
    return exitAfterOutput(0, duties);
  };
  // A signal during start-up lets the daemon come up first; if that fails, the failure below ends the process.
  onStopSignal({
    drain: () => void started.then(() => stop().catch(crash), leaveToFailure),
    abort: (exitCode) => void exitNow(exitCode, duties),
  });
  try {
    await started;
  } catch (error) {
    reportFailure(output, style, serving.describeFailure(error));
    return exitAfterOutput(1, duties);
  }
  const announcement = serving.announce(whereItListens(daemon, serving.configured, { systemd, log }));
  reportStarted(output, style, announcement);
  supervision.ready(announcement.lines[0]);
}

/** As configured, names and all, unless it is the address of somebody else's socket. */
function whereItListens(
  daemon: Daemon,
  configured: ListenAddress,
  { systemd: { listenFd }, log }: { readonly systemd: SystemdEnvironment; readonly log: Log },
): ListenAddress {
  if (listenFd === undefined) return configured;
  log.logger.info({ fd: listenFd }, 'The listening socket comes from systemd; host and port are ignored');
  return daemon.address();
}

function leaveToFailure(): void {
  // Whoever awaits the start reports its failure and ends the process; there is nothing to stop.
}

function onStopSignal(handlers: Pick<StopHandlers, 'drain' | 'abort'>): void {
  const onSignal = createStopSignalHandler({ now: () => performance.now(), ...handlers });
  for (const signal of STOP_SIGNALS) {
    process.on(signal, onSignal);
  }
}

function warnAbout(unknownVariables: readonly UnknownVariable[], logger: Logger): void {
  for (const { name, suggestion } of unknownVariables) {
    const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
    logger.warn(`Unknown environment variable ${describeValue(name)} has no effect${hint}`);
  }
}
