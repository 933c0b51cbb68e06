import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { type Pinning, pinnedCommand } from '../measure/pinning.ts';

const START_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 15_000;

/** A started child, ready to be measured. */
export interface RunningChild {
  readonly pid: number;
  stop(): Promise<void>;
}

export interface ChildOptions {
  readonly command: readonly string[];
  readonly pinning: Pinning | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** The child is ready once its output holds this text. */
  readonly readyText?: string;
}

/** Starts a process on the relay's core and waits for its start-up line. */
export async function startChild(options: ChildOptions): Promise<RunningChild> {
  const [file, ...args] = pinnedCommand(options.pinning, options.command);
  if (file === undefined) {
    throw new Error('no command to start');
  }
  const child = spawn(file, args, {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) {
    throw new Error(`cannot start ${file}`);
  }
  await untilReady(child, options);
  return { pid, stop: () => stopChild(child) };
}

/** A port that was free a moment ago, for programs that cannot choose one themselves. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === 'object' && address !== null) {
          resolve(address.port);
        } else {
          reject(new Error('the listener has no port'));
        }
      });
    });
  });
}

function untilReady(child: ChildProcess, options: ChildOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`${options.command.join(' ')}: ${why}\n${output.slice(-2000)}`));
    };
    const timer = setTimeout(() => fail('not ready within 15 s'), START_TIMEOUT_MS);
    const take = (chunk: Buffer): void => {
      // Only the end is kept: it is what explains a failure.
      output = (output + chunk.toString()).slice(-10_000);
      if (options.readyText === undefined || output.includes(options.readyText)) {
        clearTimeout(timer);
        resolve();
      }
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('exit', (code, signal) => fail(`ended with ${signal ?? code}`));
    if (options.readyText === undefined) {
      clearTimeout(timer);
      resolve();
    }
  });
}

function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
