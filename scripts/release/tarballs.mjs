// The tarballs of a release, between the steps of its workflow.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { integrityOf } from './integrity.mjs';
import { ReleaseFault } from './release-fault.mjs';

/**
 * What pack.mjs put out, as `[{ name, file, integrity }]` with the whole path of each file. A fault when a file is not
 * the one that was packed, byte for byte.
 */
export function findTarballs({ folder, packages }) {
  return JSON.parse(packages).map(({ name, file, integrity }) => {
    const path = join(resolve(folder), file);
    if (!existsSync(path) || integrityOf(path) !== integrity) {
      throw new ReleaseFault(`${path} is not the tarball that was tested.`);
    }
    return { name, file: path, integrity };
  });
}
