import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { withTimeout } from './wait.ts';

/** Names a command to test instead of the checkout's own. */
const COMMAND_VARIABLE = 'OPENCHAMBER_RELAY_COMMAND';

/** What the relay's own variables start with. */
export const RELAY_PREFIX = 'OPENCHAMBER_RELAY_SERVER_';

export interface RelayCommandOptions {
  readonly args?: readonly string[];
  /** Variables to add to a clean environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Variables of the relay without their prefix: `{ MAX_HOSTS: 2 }`. */
  readonly limits?: Readonly<Record<string, string | number>>;
  /** @default OPENCHAMBER_RELAY_COMMAND, else the checkout's node_modules/.bin/openchamber-relay */
  readonly command?: string;
}

export interface ExitInfo {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A started command of which nothing is known yet. */
export interface RelayCommand {
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

/** A relay that listens. */
export interface RelayProcess extends RelayCommand {
  /** `ws://host:port/path`, where the relay listens, whatever URL it announces. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** The line of `--json`, parsed. */
  readonly announced: Readonly<Record<string, unknown>>;
}

export interface StartRelayOptions extends RelayCommandOptions {
  /** @default 127.0.0.1 */
  readonly host?: string;
}

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** Starts the relay's command as it is told, without waiting for anything. */
export function spawnRelay(options: RelayCommandOptions = {}): RelayCommand {
  const child = spawn(relayCommand(options), options.args ?? [], {
    env: cleanEnvironment(options),
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

/** Runs the relay's command to its end: for help, version and refused configurations. */
export async function runRelay(
  options: RelayCommandOptions = {},
): Promise<ExitInfo & { readonly stdout: string; readonly stderr: string }> {
  const relay = spawnRelay(options);
  try {
    const exit = await withTimeout(relay.exited, () => `still running; ${recount(relay)}`);
    return { ...exit, stdout: relay.stdout(), stderr: relay.stderr() };
  } finally {
    await relay.stop();
  }
}

/** Starts a relay on a free port and waits until it listens. */
export async function startRelay(options: StartRelayOptions = {}): Promise<RelayProcess> {
  const host = options.host ?? '127.0.0.1';
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(host);
    const args = ['--json', '--host', host, '--port', String(port), ...(options.args ?? [])];
    const relay = spawnRelay({ ...options, args });
    try {
      const line = await relay.output('stdout', (text) => text.includes('\n'));
      const announced = JSON.parse(line.slice(0, line.indexOf('\n'))) as Record<string, unknown>;
      if (announced['status'] !== 'ok') throw new Error(`the relay did not start: ${line}`);
      const path = String(announced['path']);
      const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
      return { ...relay, url: `ws://${authority}${path}`, host, port, path, announced };
    } catch (error) {
      await relay.stop();
      // Another process may have taken the port between freePort() and the relay's own bind.
      const raced = /EADDRINUSE|in use/iu.test(relay.stdout() + relay.stderr());
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

function relayCommand(options: RelayCommandOptions): string {
  const own = fileURLToPath(new URL('../../../node_modules/.bin/openchamber-relay', import.meta.url));
  return options.command ?? process.env[COMMAND_VARIABLE] ?? own;
}

/** Only what a command needs to run: nothing of the caller's configuration or of its test runner. */
function cleanEnvironment(options: RelayCommandOptions): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'LANG']) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  for (const [name, value] of Object.entries(options.limits ?? {})) {
    environment[`${RELAY_PREFIX}${name}`] = String(value);
  }
  return { ...environment, ...options.env };
}

function recount(relay: RelayCommand): string {
  return JSON.stringify({ stdout: relay.stdout(), stderr: relay.stderr() });
}
