import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { withTimeout } from './wait.ts';

export interface CommandOptions {
  readonly args?: readonly string[];
  /** Variables to add to a clean environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Variables of the program without their prefix: `{ MAX_HOSTS: 2 }`. */
  readonly limits?: Readonly<Record<string, string | number>>;
  /** @default the variable that names one (`OPENCHAMBER_RELAY_COMMAND`), else the checkout's own in node_modules/.bin */
  readonly command?: string;
}

export interface StartOptions extends CommandOptions {
  /** @default 127.0.0.1 */
  readonly host?: string;
}

/** One of the package's commands. */
export interface TestedProgram {
  readonly name: string;
  /** Names a command to test instead of the checkout's own. */
  readonly commandVariable: string;
  /** What the program's own variables start with. */
  readonly prefix: string;
}

export interface ExitInfo {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How a command ended, and all it wrote. */
export interface FinishedCommand extends ExitInfo {
  readonly stdout: string;
  readonly stderr: string;
}

/** A started command of which nothing is known yet. */
export interface DaemonCommand {
  readonly pid: number;
  /** Everything written so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when the text so far satisfies `matches`, at once or on new output; fails when the process ends first. */
  output(stream: 'stdout' | 'stderr', matches: (text: string) => boolean): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** Settles when the process is gone and its output complete. */
  readonly exited: Promise<ExitInfo>;
  /** Kills it, if need be, and waits. */
  stop(): Promise<void>;
}

/** A command that listens. */
export interface DaemonProcess extends DaemonCommand {
  readonly host: string;
  readonly port: number;
  /** `host:port`, an IPv6 host in brackets. */
  readonly authority: string;
  /** The line of `--json`, parsed. */
  readonly announced: Readonly<Record<string, unknown>>;
}

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** Starts a command as it is told, without waiting for anything. */
export function spawnDaemon(program: TestedProgram, options: CommandOptions = {}): DaemonCommand {
  const child = spawn(commandOf(program, options), options.args ?? [], {
    env: cleanEnvironment(program, options),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => (text[stream] += chunk));
  }
  const exited = new Promise<ExitInfo>((resolve) => {
    child.once('error', (error) => {
      text.stderr += `cannot be started: ${error.message}`;
      alive.delete(child);
      resolve({ code: null, signal: null });
    });
    child.once('close', (code, signal) => {
      alive.delete(child);
      resolve({ code, signal });
    });
  });
  return {
    pid: child.pid ?? -1,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    output: (stream, matches) => waitForOutput({ child, exited, stream, text }, matches),
    kill: (signal) => void child.kill(signal),
    exited,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Runs a command to its end: for help, version and refused configurations. */
export async function runDaemon(
  program: TestedProgram,
  options: CommandOptions = {},
): Promise<FinishedCommand> {
  const command = spawnDaemon(program, options);
  try {
    const exit = await withTimeout(command.exited, () => `still running; ${recount(command)}`);
    return { ...exit, stdout: command.stdout(), stderr: command.stderr() };
  } finally {
    await command.stop();
  }
}

/** Starts a daemon on a free port and waits until it listens. */
export async function startDaemon(
  program: TestedProgram,
  options: StartOptions = {},
): Promise<DaemonProcess> {
  const host = options.host ?? '127.0.0.1';
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(host);
    const args = ['--json', '--host', host, '--port', String(port), ...(options.args ?? [])];
    const command = spawnDaemon(program, { ...options, args });
    try {
      const line = await command.output('stdout', (text) => text.includes('\n'));
      const announced = JSON.parse(line.slice(0, line.indexOf('\n'))) as Record<string, unknown>;
      if (announced['status'] !== 'ok') throw new Error(`${program.name} did not start: ${line}`);
      const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
      return { ...command, host, port, authority, announced };
    } catch (error) {
      await command.stop();
      // Another process may have taken the port between freePort() and the program's own bind.
      const raced = /EADDRINUSE|in use/iu.test(command.stdout() + command.stderr());
      if (!raced || attempt === 5) throw error;
    }
  }
}

/** A TCP port nobody listens on at the moment. */
export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port: 0 }, () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('a TCP server without a port'));
      });
    });
  });
}

/** Resident memory of a process in bytes (Linux). */
export function residentBytes(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (match === null) throw new Error(`no VmRSS for process ${pid}`);
  return Number(match[1]) * 1024;
}

interface OutputWait {
  readonly child: ChildProcess;
  readonly exited: Promise<ExitInfo>;
  readonly stream: 'stdout' | 'stderr';
  readonly text: Readonly<Record<'stdout' | 'stderr', string>>;
}

async function waitForOutput(wait: OutputWait, matches: (text: string) => boolean): Promise<string> {
  const { child, exited, stream, text } = wait;
  const describe = (): string => `${stream} lacks what was expected; ${JSON.stringify(text)}`;
  const checks = new AbortController();
  const found = new Promise<void>((resolve) => {
    const check = (): void => {
      if (matches(text[stream])) resolve();
    };
    const output = child[stream];
    output?.on('data', check);
    checks.signal.addEventListener('abort', () => output?.off('data', check));
    check();
  });
  try {
    await withTimeout(Promise.race([found, exited]), describe);
  } finally {
    checks.abort();
  }
  if (!matches(text[stream])) throw new Error(`the process ended: ${describe()}`);
  return text[stream];
}

function commandOf({ name, commandVariable }: TestedProgram, options: CommandOptions): string {
  const own = fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url));
  return options.command ?? process.env[commandVariable] ?? own;
}

/** Only what a command needs to run: nothing of the caller's configuration or of its test runner. */
function cleanEnvironment({ prefix }: TestedProgram, options: CommandOptions): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'LANG']) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  for (const [name, value] of Object.entries(options.limits ?? {})) {
    environment[`${prefix}${name}`] = String(value);
  }
  return { ...environment, ...options.env };
}

function recount(command: DaemonCommand): string {
  return JSON.stringify({ stdout: command.stdout(), stderr: command.stderr() });
}
