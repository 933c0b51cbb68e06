// Fingerprints tell whether an installation or a bundle still fits its sources, without network or clock.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { appFolder, root, tunnelFolder, workspaceFolders } from '../run/workspace.mjs';

/** What `pnpm install` depends on: lock file, settings, the manifests' dependencies, platform and place. */
export function fingerprintInstallation() {
  const hash = createHash('sha256');
  // The place counts because pnpm links the node binary by its absolute path.
  hash.update(JSON.stringify([root, process.platform, process.arch, cLibrary()]));
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc']) {
    addFile(hash, join(root, name));
  }
  for (const folder of workspaceFolders()) {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const { name, version, bin, dependencies, devDependencies, optionalDependencies, peerDependencies } =
      manifest;
    const parts = [name, version, bin, dependencies, devDependencies, optionalDependencies, peerDependencies];
    hash.update(JSON.stringify([relative(root, folder), ...parts.map((part) => part ?? null)]));
  }
  return hash.digest('hex');
}

const BUNDLES = [
  { folder: appFolder, names: ['openchamber-relay.js', 'openchamber-push-relay.js', 'push-worker.js'] },
  { folder: tunnelFolder, names: ['openchamber-tunnel.js'] },
];

/** What the bundles depend on, and the bundles themselves, so that one made from other sources is noticed. */
export function fingerprintBundle() {
  const hash = createHash('sha256');
  for (const { folder, names } of BUNDLES) {
    for (const name of ['package.json', 'bundle.mjs', ...names.map((bundle) => join('dist', bundle))]) {
      addFile(hash, join(folder, name));
    }
  }
  addFile(hash, join(root, 'pnpm-lock.yaml'));
  for (const folder of workspaceFolders()) {
    addFolder(hash, join(folder, 'src'));
  }
  return hash.digest('hex');
}

/** Binaries for glibc do not run on musl; Node's report is the one place that tells them apart. */
function cLibrary() {
  const header = process.platform === 'linux' ? process.report?.getReport()?.header : undefined;
  return header?.glibcVersionRuntime === undefined ? 'other' : 'glibc';
}

function addFolder(hash, folder) {
  if (!existsSync(folder)) {
    return;
  }
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  for (const file of files.sort()) {
    addFile(hash, file);
  }
}

function addFile(hash, file) {
  const content = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
}
