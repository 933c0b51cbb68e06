// Packs one package as npm gets it. From a copy, so that the manifest for npm never stands in the checkout.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { root, tool } from '../run/workspace.mjs';
import { integrityOf } from './integrity.mjs';
import { publishedManifest } from './published-manifest.mjs';
import { mustRun } from './step.mjs';

/** Builds what the libraries among the published packages are compiled against. Needs the set-up. */
export function buildLibraries() {
  mustRun(tool('tsc'), ['-b'], { cwd: root });
}

/** Makes a tarball in `destination`; returns `{ name, file, integrity }`, the file without its folder. */
export function packPackage(folder, { destination, env = process.env }) {
  const copy = mkdtempSync(join(tmpdir(), 'openchamber-pack-'));
  try {
    const isBundled = existsSync(join(folder, 'bundle.mjs'));
    if (isBundled) {
      copyBundled(folder, copy);
    } else {
      copyLibrary(folder, copy);
    }
    nameRepository(copy, { directory: relative(root, folder), env });
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', destination];
    const [{ name, filename }] = JSON.parse(mustRun('npm', args, { cwd: copy, env }));
    const file = basename(filename);
    return { name, file, integrity: integrityOf(join(destination, file)) };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Everything but sources and tests; the dependencies by a link, for their versions are read from there. */
function copyBundled(folder, copy) {
  mustRun(tool('node'), [join(folder, 'bundle.mjs')], { cwd: folder });
  const left = ['node_modules', 'src', 'test'].map((name) => join(folder, name));
  cpSync(folder, copy, { recursive: true, filter: (path) => !left.includes(path) });
  symlinkSync(join(folder, 'node_modules'), join(copy, 'node_modules'));
  mustRun(tool('node'), [join(copy, 'publish-manifest.mjs'), 'write'], { cwd: copy });
}

/** Compiled anew: `dist` of the checkout may have what its sources have no more, and maps that lead to them. */
function copyLibrary(folder, copy) {
  const manifest = readManifest(folder);
  const versionOf = (name) => readManifest(join(folder, 'node_modules', name)).version;
  const text = JSON.stringify(publishedManifest(manifest, versionOf), null, 2);
  writeFileSync(join(copy, 'package.json'), `${text}\n`);
  const others = manifest.files.filter((name) => name !== 'dist');
  for (const name of ['README.md', 'LICENSE', ...others]) {
    cpSync(join(folder, name), join(copy, name), { recursive: true });
  }
  const output = ['--outDir', join(copy, 'dist'), '--tsBuildInfoFile', 'null'];
  const without = ['composite', 'incremental', 'sourceMap', 'declarationMap'];
  const options = without.flatMap((name) => [`--${name}`, 'false']);
  mustRun(tool('tsc'), ['-p', folder, ...output, ...options], { cwd: folder });
}

/** npm accepts provenance only when the package names the repository that it was built from. */
function nameRepository(copy, { directory, env }) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env;
  if (server && repository) {
    const fields = {
      'repository.type': 'git',
      'repository.url': `git+${server}/${repository}.git`,
      'repository.directory': directory,
    };
    const pairs = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
    mustRun('npm', ['pkg', 'set', ...pairs], { cwd: copy, env });
  }
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
