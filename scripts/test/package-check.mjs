// Packs everything that is published, as a release does, and puts it to work in an empty folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildLibraries, packPackage } from '../release/pack-package.mjs';
import { publishedFolders } from '../release/published.mjs';
import { ReleaseFault } from '../release/release-fault.mjs';
import { tryOut } from '../release/try-out/try-out.mjs';

/** Resolves to an exit code; says on stdout what was found. */
export async function checkPackages() {
  const destination = mkdtempSync(join(tmpdir(), 'openchamber-tarballs-'));
  try {
    buildLibraries();
    const packed = publishedFolders('all').map((folder) => packPackage(folder, { destination }));
    await tryOut(packed.map(({ name, file }) => ({ name, file: join(destination, file) })));
    return 0;
  } catch (error) {
    if (!(error instanceof ReleaseFault)) {
      throw error;
    }
    process.stdout.write(`${error.message}\n`);
    return 1;
  } finally {
    rmSync(destination, { recursive: true, force: true });
  }
}
