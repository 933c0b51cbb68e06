// Installs the dependencies of the workspace, once.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../run/command.mjs';
import { root, tool, workspaceFolders } from '../run/workspace.mjs';
import { SetupError } from './setup-error.mjs';
import { fingerprintInstallation } from './fingerprint.mjs';

// Inside node_modules, so that it goes when the installation goes.
const stampFile = join(root, 'node_modules', '.setup-stamp');

/** Installs unless the stamp says that what is there is what the lock file asks for. */
export async function installDependencies(say) {
  const wanted = fingerprintInstallation();
  if (isInstalled(wanted)) {
    return;
  }
  say('Installing dependencies (needs the network once) …');
  rmSync(stampFile, { force: true });
  const [command, ...args] = pnpmCommand();
  const options = ['install', '--frozen-lockfile', '--config.confirmModulesPurge=false'];
  const { code, output } = await run(command, [...args, ...options], { show: 'all' });
  if (code !== 0) {
    throw new SetupError(explain(output));
  }
  writeFileSync(stampFile, `${wanted}\n`);
}

function isInstalled(wanted) {
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, 'utf8').trim() : '';
  return stamp === wanted && existsSync(tool('node')) && workspaceFolders().every(hasItsModules);
}

/** `git clean` in one package removes its node_modules and leaves the stamp of the whole. */
function hasItsModules(folder) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const names = Object.keys({ ...dependencies, ...devDependencies });
  return names.every((name) => existsSync(join(folder, 'node_modules', name)));
}

function pnpmCommand() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return existsSync(tool('pnpm')) && existsSync(tool('node'))
    ? [tool('pnpm')]
    : ['npx', '--yes', packageManager];
}

const NETWORK_FAULT =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|network|dns error|error sending request/i;
const STALE_LOCK = /ERR_PNPM_OUTDATED_LOCKFILE|frozen-lockfile/;

function explain(output) {
  if (STALE_LOCK.test(output)) {
    return 'pnpm-lock.yaml does not fit the package.json files; run `npx pnpm install` and commit the lock file.';
  }
  if (NETWORK_FAULT.test(output)) {
    return 'the package registry cannot be reached. The first set-up needs the network (or a configured proxy or mirror).';
  }
  return 'installing the dependencies failed; what went wrong is above.';
}
