// `npm pack` publishes package.json as it is, and npm understands neither `workspace:` nor `catalog:`. So before
// packing package.json becomes what a user of the package needs, and after packing it becomes itself again.
//   node publish-manifest.mjs write|restore
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const manifestFile = join(here, 'package.json');
const originalFile = join(here, 'dist', 'package.json.original');

switch (process.argv[2]) {
  case 'write':
    // An original that is still there belongs to a packing that was interrupted; it is the true one.
    restore();
    write();
    break;
  case 'restore':
    restore();
    break;
  default:
    process.stderr.write('usage: node publish-manifest.mjs write|restore\n');
    process.exitCode = 1;
}

function write() {
  const { devDependencies: _ours, scripts: _alsoOurs, ...manifest } = readManifest(manifestFile);
  for (const kind of ['dependencies', 'optionalDependencies']) {
    manifest[kind] = Object.fromEntries(
      Object.keys(manifest[kind]).map((name) => [name, installedVersion(name)]),
    );
  }
  copyFileSync(manifestFile, originalFile);
  writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
}

function restore() {
  if (existsSync(originalFile)) {
    renameSync(originalFile, manifestFile);
  }
}

/** The version that was tested, which is the one the catalog names. */
function installedVersion(name) {
  return readManifest(join(here, 'node_modules', name, 'package.json')).version;
}

function readManifest(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
