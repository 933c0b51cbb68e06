import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeApnsKey } from '../apns-key.ts';
import { makeLoopbackCertificate } from '../certificates.ts';
import { startFakeApns } from '../fake-apns.ts';
import type { FakeApns } from '../fake-apns.ts';
import type { CommandOptions } from './command-line.ts';
import { pushLine } from './push-line.ts';
import { relayVariables } from './relay-variables.ts';
import type { RelayVariables } from './relay-variables.ts';

/** Production and sandbox, running, with the files their clients need. */
export interface RunningPair {
  readonly variables: RelayVariables;
  /** Ends both and removes what was written to a temporary folder. */
  close(): Promise<void>;
}

type Environment = 'production' | 'sandbox';

/** Starts both; `log` gets a line for each push. Throws what the file system or the network throws. */
export async function startPair(options: CommandOptions, log: (line: string) => void): Promise<RunningPair> {
  const key = makeApnsKey();
  const certificate = await makeLoopbackCertificate();
  const folder = await openFolder(options.folder);
  const running: FakeApns[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(running.map((apns) => apns.close()));
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
  };
  const start = async (environment: Environment, port: number | undefined): Promise<FakeApns> => {
    const line = { environment, showPayload: options.showPayload === true };
    const apns = await startFakeApns({
      keys: [key],
      certificate,
      port: port ?? 0,
      recordLimit: 1,
      onSettled: (request) => log(pushLine(request, line)),
    });
    running.push(apns);
    return apns;
  };
  try {
    const [p8Path, caPath] = [join(folder, 'AuthKey.p8'), join(folder, 'ca.pem')];
    // For this user alone, as the real key should be.
    await writeFile(p8Path, key.p8, { mode: 0o600 });
    await writeFile(caPath, certificate.caPem);
    const production = await start('production', options.productionPort);
    const sandbox = await start('sandbox', options.sandboxPort);
    const { keyId, teamId } = key;
    const urls = { productionUrl: production.url, sandboxUrl: sandbox.url };
    return { variables: relayVariables({ keyId, teamId, p8Path, caPath, ...urls }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openFolder(path: string | undefined): Promise<string> {
  if (path === undefined) return mkdtemp(join(tmpdir(), 'fake-apns-'));
  const folder = resolve(path);
  // Not with its parents: below a folder that takes none (/proc), Node tries that for ever.
  if (!existsSync(folder)) await mkdir(folder);
  return folder;
}
