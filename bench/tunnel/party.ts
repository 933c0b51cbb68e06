import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Order, Outcome, Word } from './orders.ts';

const START_TIMEOUT_MS = 15_000;
const ORDER_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 15_000;

/** A program of this benchmark in a process of its own. */
export interface Party {
  readonly pid: number;
  /** What it said when it was ready. */
  readonly facts: Readonly<Record<string, string>>;
  /** For clients: rejects when it could not be done. */
  ask(order: Order): Promise<Outcome>;
  stop(): Promise<void>;
}

/** How parties run. */
export interface PartyOptions {
  /** Where their programs are. */
  readonly folder: string;
  readonly profileDirectory: string | undefined;
}

/** Starts `program`, a path below their folder, and waits until it is ready. */
export async function startParty(
  program: string,
  args: readonly string[],
  { folder, profileDirectory }: PartyOptions,
): Promise<Party> {
  const child = fork(join(folder, program), [...args], {
    execArgv: profileFlags(profileDirectory, program),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} cannot be started`);
  const word = await nextWord(child, { program, timeoutMs: START_TIMEOUT_MS });
  if (word.kind !== 'ready') throw new Error(`${program} spoke too early`);
  return {
    pid,
    facts: word.facts,
    ask: (order) => ask(child, program, order),
    stop: () => stop(child),
  };
}

/** Flags by which Node writes a CPU profile when it ends. */
export function profileFlags(directory: string | undefined, program: string): string[] {
  if (directory === undefined) return [];
  const name = program.replace(/\.js$/, '').replaceAll('/', '-');
  return ['--cpu-prof', `--cpu-prof-dir=${directory}`, `--cpu-prof-name=tunnel-${name}.cpuprofile`];
}

async function ask(child: ChildProcess, program: string, order: Order): Promise<Outcome> {
  const answer = nextWord(child, { program, timeoutMs: ORDER_TIMEOUT_MS });
  child.send(order);
  const word = await answer;
  if (word.kind === 'done') return word.outcome;
  throw new Error(`${program}: ${word.kind === 'failed' ? word.message : 'started again'}`);
}

function nextWord(
  child: ChildProcess,
  { program, timeoutMs }: { readonly program: string; readonly timeoutMs: number },
): Promise<Word> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      act();
    };
    const onMessage = (word: unknown): void => settle(() => resolve(word as Word));
    const onExit = (code: number | null): void =>
      settle(() => reject(new Error(`${program} ended with ${code}`)));
    const timer = setTimeout(() => {
      settle(() => reject(new Error(`${program} said nothing for ${timeoutMs / 1000} s`)));
      child.kill('SIGKILL');
    }, timeoutMs);
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.disconnect();
  });
}
