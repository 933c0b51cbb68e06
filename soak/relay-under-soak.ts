import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RelaySnapshot } from '@openchambery/relay';

/** The relay process as it is seen from outside. */
export class RelayUnderSoak {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  private constructor(child: ChildProcess, lines: Interface, port: number) {
    this.#child = child;
    this.#lines = lines;
    this.url = `ws://127.0.0.1:${port}/ws`;
  }

  static async start(): Promise<RelayUnderSoak> {
    const main = fileURLToPath(new URL('relay-main.ts', import.meta.url));
    // The young generation stays as small as in the command: what V8 adds to it by choice would hide a leak.
    const flags = ['--expose-gc', '--semi-space-growth-factor=1', '--conditions=@openchambery/source'];
    const child = spawn(process.execPath, [...flags, main], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    const [first] = (await once(lines, 'line')) as [string];
    return new RelayUnderSoak(child, lines, (JSON.parse(first) as { port: number }).port);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** What the relay says it holds; `gc` collects garbage first, so that memory figures mean something. */
  async snapshot(collect: 'gc' | 'as is' = 'as is'): Promise<RelaySnapshot> {
    const answer = once(this.#lines, 'line') as Promise<[string]>;
    this.#child.stdin?.write(`${collect}\n`);
    const [line] = await answer;
    return JSON.parse(line) as RelaySnapshot;
  }

  /** Open file descriptors. */
  descriptors(): number {
    return readdirSync(`/proc/${this.#child.pid}/fd`).length;
  }

  /** Resident memory, in bytes. */
  residentBytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await exited;
  }
}
