import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** A folder that is gone after the test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'host-keys-'));
  folders.push(folder);
  return folder;
}

/** What a loading process printed, or the signal it died by. */
export interface LoadOutcome {
  readonly serverId?: string;
  readonly steps?: number;
  readonly message?: string;
  readonly signal?: string;
}

/** Loads keys in a process of its own. */
export async function loadInProcess(
  file: string,
  options: { readonly killAt?: number; readonly user?: number } = {},
): Promise<LoadOutcome> {
  const program = fileURLToPath(new URL('load-process.ts', import.meta.url));
  const args = ['--conditions=@openchambery/source', program, file];
  if (options.killAt !== undefined) args.push(String(options.killAt));
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(options.user === undefined ? {} : { uid: options.user, gid: options.user }),
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  return signal === null ? (JSON.parse(output) as LoadOutcome) : { signal };
}
