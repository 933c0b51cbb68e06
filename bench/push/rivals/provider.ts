import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pinning } from '../../measure/pinning.ts';
import { freePort, startChild } from '../../rivals/child.ts';

const program = fileURLToPath(new URL('fake-apns.ts', import.meta.url));

/** A fake APNs in a process of its own, on the generator's core. */
export interface Provider {
  readonly pid: number;
  readonly url: string;
  readonly caFile: string;
  readonly caPem: string;
  stop(): Promise<void>;
}

/** Starts it; `folder` gets the certificate that clients have to trust. */
export async function startProvider(pinning: Pinning | undefined, folder: string): Promise<Provider> {
  const port = await freePort();
  const caFile = join(folder, 'provider-ca.pem');
  const child = await startChild({
    command: [process.execPath, ...process.execArgv, program, String(port), caFile],
    pinning: pinning === undefined ? undefined : { ...pinning, relayCore: pinning.generatorCore },
    readyText: 'fake APNs listening',
  });
  return {
    pid: child.pid,
    url: `https://127.0.0.1:${port}`,
    caFile,
    caPem: readFileSync(caFile, 'utf8'),
    stop: () => child.stop(),
  };
}
