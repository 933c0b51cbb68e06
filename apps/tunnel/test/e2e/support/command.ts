import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withTimeout } from '@openchambery/testkit';
import type { Keep } from './keep.ts';
import { untilTestEnds } from './keep.ts';

/** How a command is called. */
export interface CallOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What stands on stdin. @default nothing */
  readonly stdin?: string | Buffer;
  readonly cwd?: string;
  /** @default it ends with the test at the latest */
  readonly keep?: Keep;
}

/** How a command ended, and all it wrote. */
export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A started command. */
export interface Running {
  readonly pid: number;
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves with a line that `matches`, at once or on new output; fails when the process ends first. */
  line(matches: (line: string) => boolean): Promise<string>;
  /** The same for lines of JSON. */
  json(matches: (fields: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  kill(signal: NodeJS.Signals): void;
  readonly finished: Promise<Finished>;
}

const NAME = 'openchamber-tunnel';
const COMMAND = fileURLToPath(new URL(`../../../../../node_modules/.bin/${NAME}`, import.meta.url));

/** Starts the installed command. */
export function start(args: readonly string[], options: CallOptions = {}): Running {
  const { PATH = '', HOME = '', LANG = '' } = process.env;
  const child = spawn(COMMAND, args, {
    env: { PATH, HOME, LANG, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  child.stdin.on('error', () => {
    // A command that does not read it to the end may do so.
  });
  child.stdin.end(options.stdin ?? '');
  const chunks: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => void chunks.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const finished = new Promise<Finished>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout: Buffer.concat(chunks), stderr }));
  });
  const stdout = (): string => Buffer.concat(chunks).toString();
  (options.keep ?? untilTestEnds)(async () => {
    child.kill('SIGKILL');
    await finished;
  });
  const line = async (matches: (text: string) => boolean): Promise<string> => {
    const stop = new AbortController();
    const find = (): string | undefined => stdout().split('\n').slice(0, -1).find(matches);
    const found = new Promise<string>((resolve, reject) => {
      const look = (): void => {
        const hit = find();
        if (hit !== undefined) resolve(hit);
      };
      child.stdout.on('data', look);
      stop.signal.addEventListener('abort', () => child.stdout.off('data', look));
      void finished.then(() => reject(new Error(`ended first: ${stdout()}${stderr}`)));
      look();
    });
    return withTimeout(found, () => `no such line: ${stdout()}${stderr}`).finally(() => stop.abort());
  };
  return {
    pid: child.pid ?? -1,
    child,
    stdout,
    stderr: () => stderr,
    line,
    json: async (matches) => {
      const hit = await line(
        (text) => text.startsWith('{') && matches(JSON.parse(text) as Record<string, unknown>),
      );
      return JSON.parse(hit) as Record<string, unknown>;
    },
    kill: (signal) => void child.kill(signal),
    finished,
  };
}

/** Runs the installed command to its end. */
export function run(args: readonly string[], options: CallOptions = {}): Promise<Finished> {
  const running = start(args, options);
  return withTimeout(running.finished, () => `still running: ${running.stdout()}${running.stderr()}`);
}
