import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { exposureFiles } from '../../../src/state/state-folder.ts';
import type { ExposureFiles } from '../../../src/state/state-folder.ts';

/** A folder for the current test alone. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'openchamber-tunnel-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The files of an exposure of its own. */
export async function temporaryExposure(): Promise<ExposureFiles> {
  return exposureFiles(await temporaryFolder(), '.');
}
