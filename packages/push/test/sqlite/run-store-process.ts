import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./store-process.ts', import.meta.url));

/** What a {@link StoreProcess} is started with, beside the path of the database. */
export interface StoreProcessOptions {
  readonly mode: 'open' | 'write';
  readonly seed?: string;
  /** The user to run as; for tests that run as root. */
  readonly uid?: number;
}

/** A running `store-process.ts`. */
export class StoreProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<unknown>;
  #output = '';
  #heard: () => void = () => undefined;

  constructor(path: string, { mode, seed = '', uid }: StoreProcessOptions) {
    const args = ['--conditions=@openchambery/source', '--no-warnings', SCRIPT, mode, path, seed];
    this.#child = spawn(process.execPath, args, uid === undefined ? {} : { uid, gid: uid });
    this.#exited = once(this.#child, 'close').then(() => this.#heard());
    const hear = (chunk: Buffer): void => {
      this.#output += chunk.toString();
      this.#heard();
    };
    this.#child.stdout.on('data', hear);
    this.#child.stderr.on('data', hear);
    onTestFinished(async () => this.kill());
  }

  /** Whole lines only. */
  get lines(): readonly string[] {
    return this.#output.split('\n').slice(0, -1);
  }

  /** The first line that begins so; once the process has ended without, whatever it said. */
  async line(start: string): Promise<string> {
    for (;;) {
      const line = this.lines.find((candidate) => candidate.startsWith(start));
      if (line !== undefined) return line;
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#output;
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  /** The kernel ends it, whatever it is doing; all it has said is in `lines` afterwards. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Lets it close its store and end. */
  async close(): Promise<void> {
    this.#child.stdin.end('close\n');
    await this.#exited;
  }
}
