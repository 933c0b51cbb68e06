import { systemClock } from '@openchambery/tunnel';
import { connectionFailure } from '../connect/describe-failure.ts';
import type { CommandSpec } from './command-spec.ts';
import { describeCrash } from './crash.ts';
import { codeOf, messageOf } from './describe-value.ts';
import { exitAfterOutput } from './exit.ts';
import { formatHelp, formatOverview } from './help-text.ts';
import { describeOldNode } from './node-version.ts';
import { reportFailure } from './output.ts';
import type { Output, ReportStyle } from './output.ts';
import { parseCommandLine } from './parse-command-line.ts';
import type { CommandLine } from './parse-command-line.ts';
import { readStdinLine } from './read-stdin.ts';
import { RUNNERS } from './runners.ts';
import { Settings } from './settings.ts';
import type { Environment } from './settings.ts';
import { createStopSignalHandler, STOP_SIGNALS } from './stop-signals.ts';
import type { Surroundings } from './surroundings.ts';
import { findUnknownVariables } from './unknown-variables.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';

const output: Output = {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
};

/** Where an invocation comes from. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly env: Environment;
}

/** Runs one invocation to its end, and ends the process. */
export async function runCommand({ argv, env }: Invocation): Promise<void> {
  surviveClosedPipes();
  const line = parseCommandLine(argv);
  const style: ReportStyle = { json: line.json, quiet: line.quiet };
  process.on('uncaughtException', (error) => {
    output.stderr(describeCrash(error));
    void exitAfterOutput(1);
  });
  try {
    await exitAfterOutput(await dispatch(line, env));
  } catch (error) {
    const problem = explain(error);
    if (problem === undefined) output.stderr(describeCrash(error));
    else reportFailure(output, style, problem);
    await exitAfterOutput(1);
  }
}

/** @returns the exit code. @throws what the command throws. */
async function dispatch(line: CommandLine, env: Environment): Promise<number> {
  const { command, problem } = line;
  // Somebody who asks for help gets it, however wrong the rest of the line is.
  if (line.help) return print(command === undefined ? formatOverview() : formatHelp(command));
  if (line.version) return print(`${version}\n`);
  if (problem !== undefined) throw problem;
  if (command === undefined) {
    throw new UsageError('Missing command: openchamber-tunnel --help lists them');
  }
  const oldNode = describeOldNode(process.versions.node);
  if (oldNode !== undefined) throw new UsageError(oldNode);
  for (const warning of findUnknownVariables(env)) output.stderr(`${warning}\n`);
  return RUNNERS[nameOf(command)](new Settings(line, env), surroundingsOf(line, env));
}

function nameOf({ name }: CommandSpec): keyof typeof RUNNERS {
  return name as keyof typeof RUNNERS;
}

function print(text: string): number {
  output.stdout(text);
  return 0;
}

/** Why a command failed, on one line; `undefined` for what nobody foresaw. */
function explain(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.message;
  const failure = connectionFailure(error);
  if (failure !== undefined) return failure;
  // Errors of the SDKs, and of the system, have messages for people; those of Node's argument checks are bugs of ours.
  const code = codeOf(error) ?? '';
  const isForPeople =
    /^ERR_(?:HOST|RELAY|TUNNEL)_/.test(code) || (error instanceof Error && 'syscall' in error);
  return isForPeople ? messageOf(error) : undefined;
}

function surroundingsOf({ json, quiet }: CommandLine, env: Environment): Surroundings {
  return {
    env,
    output,
    style: { json, quiet },
    clock: systemClock,
    stopping: stopOnSignals(),
    stdoutColumns: () => (process.stdout.isTTY ? process.stdout.columns : undefined),
    stderrColumns: () => (process.stderr.isTTY ? process.stderr.columns : undefined),
    readStdinLine,
  };
}

function stopOnSignals(): AbortSignal {
  const stop = new AbortController();
  const handle = createStopSignalHandler({
    now: () => performance.now(),
    drain: (exitCode) => stop.abort(exitCode),
    abort: (exitCode) => process.exit(exitCode),
  });
  for (const signal of STOP_SIGNALS) process.on(signal, handle);
  return stop.signal;
}

/**
 * `openchamber-tunnel expose 3000 | head -1` closes our stdout while we run: what these two streams cannot write is
 * lost, and the process goes on. `get` has its own answer to that.
 */
function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      // Nothing to do and nowhere to report to: the stream that failed is where we would have told.
    });
  }
}
