import { describeValue } from '@openchambery/daemon';
import { createRelayServer } from '@openchambery/relay';
import type { Logger } from 'pino';
import type { UnknownVariable } from '../config/unknown-variables.ts';
import { describeCrash } from './crash.ts';
import { exitAfterOutput } from './exit.ts';
import { describeListenFailure } from './listen-failure.ts';
import { createLog } from './log.ts';
import type { Plan } from './plan-command.ts';
import { reportFailure, reportListening } from './startup-report.ts';
import type { Output } from './startup-report.ts';
import { createStopSignalHandler, STOP_SIGNALS } from './stop-signals.ts';

/** The plan of an invocation that starts a relay. */
export type ServePlan = Extract<Plan, { action: 'serve' }>;

/** Starts the relay and reports the outcome; from then on signals end the process. */
export async function serve({ config, unknownVariables, style }: ServePlan, output: Output): Promise<void> {
  const { logLevel, ...options } = config;
  const log = await createLog({ level: logLevel, isTerminal: process.stderr.isTTY });
  const { logger } = log;
  const crash = (error: unknown): never => {
    log.crash(describeCrash(error));
    return process.exit(1);
  };
  process.on('uncaughtException', crash);
  warnAbout(unknownVariables, logger);

  const relay = createRelayServer({ ...options, logger });
  const started = relay.start();
  const stop = async (): Promise<never> => {
    await relay.close();
    return exitAfterOutput(0, log);
  };
  // A signal during start-up lets the relay come up first; if that fails, the failure below ends the process.
  onStopSignal(() => void started.then(() => stop().catch(crash), leaveToFailure));
  try {
    await started;
  } catch (error) {
    reportFailure(output, style, describeListenFailure(error, config));
    return exitAfterOutput(1, log);
  }
  reportListening(output, style, config);
}

function leaveToFailure(): void {
  // Whoever awaits the start reports its failure and ends the process; there is nothing to stop.
}

function onStopSignal(drain: () => void): void {
  const onSignal = createStopSignalHandler({
    now: () => performance.now(),
    drain,
    abort: (exitCode) => process.exit(exitCode),
  });
  for (const signal of STOP_SIGNALS) {
    process.on(signal, onSignal);
  }
}

function warnAbout(unknownVariables: readonly UnknownVariable[], log: Logger): void {
  for (const { name, suggestion } of unknownVariables) {
    const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
    log.warn(`Unknown environment variable ${describeValue(name)} has no effect${hint}`);
  }
}
