// An installation outside of this checkout.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outsidePath } from '../../run/command.mjs';
import { mustRun } from '../step.mjs';

/**
 * Installs tarballs into a folder that is empty, with npm and the Node it came with. Returns `{ folder, packages, command }`:
 * each package as `{ name, folder, manifest }`, and the path of an installed command by its name.
 */
export function installTarballs(parent, tarballs) {
  const folder = join(parent, 'empty');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  // Prefers npm's cache, so that a second run needs no network.
  const options = ['--prefer-offline', '--no-audit', '--no-fund'];
  const env = { ...process.env, PATH: outsidePath() };
  mustRun('npm', ['install', ...options, ...tarballs.map(({ file }) => file)], { cwd: folder, env });
  const modules = join(folder, 'node_modules');
  const packages = tarballs.map(({ name }) => {
    const place = join(modules, ...name.split('/'));
    return { name, folder: place, manifest: JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) };
  });
  return { folder, packages, command: (name) => join(modules, '.bin', name) };
}
