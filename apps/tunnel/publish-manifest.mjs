// `npm pack` publishes package.json as it is, and npm understands neither `workspace:` nor `catalog:`. So before
// packing package.json becomes what a user of the package needs, and after packing it becomes itself again.
//   node publish-manifest.mjs write|restore
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const manifestFile = join(here, 'package.json');
const originalFile = join(here, 'dist', 'package.json.original');
const [action] = process.argv.slice(2);

if (action !== 'write' && action !== 'restore') {
  process.stderr.write('usage: node publish-manifest.mjs write|restore\n');
  process.exit(1);
}
// An original that is still there before writing belongs to a packing that was interrupted; it is the true one.
if (existsSync(originalFile)) renameSync(originalFile, manifestFile);
if (action === 'write') write();

function write() {
  const { devDependencies: _ours, scripts: _alsoOurs, dependencies, ...manifest } = read(manifestFile);
  const versions = Object.keys(dependencies).map((name) => [name, installedVersion(name)]);
  copyFileSync(manifestFile, originalFile);
  const published = { ...manifest, dependencies: Object.fromEntries(versions) };
  writeFileSync(manifestFile, `${JSON.stringify(published, null, 2)}\n`);
}

/** The version that was tested, which is the one the catalog names. */
function installedVersion(name) {
  return read(join(here, 'node_modules', name, 'package.json')).version;
}

function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
