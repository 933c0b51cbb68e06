import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { delay } from '@openchambery/testkit';
import { afterAll, onTestFinished } from 'vitest';

const OWN_COMMAND = fileURLToPath(new URL('../../../bin/openchamber-relay.js', import.meta.url));

/** A command that is the relay with its stderr at `path`, for the current test. */
export function relayWithStderrAt(path: string): string {
  const command = join(temporaryFolder(), 'relay');
  const relay = process.env['OPENCHAMBER_RELAY_COMMAND'] ?? OWN_COMMAND;
  writeFileSync(command, `#!/bin/sh\nexec '${relay}' "$@" 2>'${path}'\n`, { mode: 0o755 });
  return command;
}

/** A pipe that is full and read by nobody until the test does. */
export interface FullPipe {
  readonly path: string;
  /** Empties the pipe until its text satisfies `matches`; gives back what came after the filling. */
  read(matches: (text: string) => boolean): Promise<string>;
}

/** A full pipe for the current test. */
export function fullPipe(): FullPipe {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', path]);
  // Open for both, so that it neither waits for the other end nor ends when that goes.
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(fd));
  // The second size fills the gap that the first leaves.
  for (const size of [4096, 1]) fill(fd, size);
  return { path, read: (matches) => readUntil(fd, matches) };
}

function fill(fd: number, size: number): void {
  const filling = Buffer.alloc(size, '.');
  while (unlessAgain(() => writeSync(fd, filling)) !== undefined);
}

async function readUntil(fd: number, matches: (text: string) => boolean): Promise<string> {
  const chunk = Buffer.alloc(65_536);
  const end = performance.now() + 10_000;
  let text = '';
  while (!matches(text)) {
    const size = unlessAgain(() => readSync(fd, chunk));
    if (size !== undefined) text += chunk.toString('utf8', 0, size).replace(/^\.+/u, '');
    else if (performance.now() < end) await delay(5);
    else throw new Error(`stderr lacks what was expected: ${JSON.stringify(text)}`);
  }
  return text;
}

function unlessAgain<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'relay-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/**
 * Variables that make the command's Node, worker threads included, run `code` (a module without a top-level await) first;
 * to be called outside of tests. In a file, as a Node inside a single executable takes no `--import`.
 */
export function preloaded(code: string): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'preloaded.mjs');
  writeFileSync(file, code);
  return { NODE_OPTIONS: `--require=${JSON.stringify(file)}` };
}
