// Packs the published package into the tarball that is tested and then published, byte for byte.
//   PACK_FOLDER=/tmp/package [GITHUB_SERVER_URL=… GITHUB_REPOSITORY=owner/name] node scripts/release/pack.mjs
// Outputs: file (its name in that folder), integrity.
// Needs the set-up (`npm run setup`).
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { appFolder, root, tool } from '../run/workspace.mjs';
import { integrityOf } from './integrity.mjs';
import { mustRun, required, runStep, writeOutputs } from './step.mjs';

await runStep(() => {
  const folder = resolve(required('PACK_FOLDER'));
  mkdirSync(folder, { recursive: true });
  mustRun(tool('node'), [join(appFolder, 'bundle.mjs')], { cwd: appFolder });
  // A copy, so that the manifest for npm never stands in the checkout.
  const copy = mkdtempSync(join(tmpdir(), 'openchamber-pack-'));
  try {
    copyPackage(copy);
    mustRun(tool('node'), [join(copy, 'publish-manifest.mjs'), 'write'], { cwd: copy });
    nameRepository(copy, process.env);
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const [{ filename }] = JSON.parse(mustRun('npm', args, { cwd: copy }));
    writeOutputs({ file: filename, integrity: integrityOf(join(folder, filename)) });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

/** Everything but sources and tests; the dependencies by a link, for their versions are read from there. */
function copyPackage(copy) {
  const left = ['node_modules', 'src', 'test'].map((name) => join(appFolder, name));
  cpSync(appFolder, copy, { recursive: true, filter: (path) => !left.includes(path) });
  symlinkSync(join(appFolder, 'node_modules'), join(copy, 'node_modules'));
}

/** npm accepts provenance only when the package names the repository that it was built from. */
function nameRepository(copy, { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository }) {
  if (server && repository) {
    const fields = {
      'repository.type': 'git',
      'repository.url': `git+${server}/${repository}.git`,
      'repository.directory': relative(root, appFolder),
    };
    const pairs = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
    mustRun('npm', ['pkg', 'set', ...pairs], { cwd: copy });
  }
}
