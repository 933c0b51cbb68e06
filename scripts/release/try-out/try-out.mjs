// Puts packed packages to work as somebody who has installed them: outside of this checkout, with plain npm.
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDemo } from '../../demo/run-demo.mjs';
import { root } from '../../run/workspace.mjs';
import { ReleaseFault } from '../release-fault.mjs';
import { workspaceVersion } from '../version.mjs';
import { bundleForBrowsers } from './browser.mjs';
import { tryCommands } from './commands.mjs';
import { checkContents } from './contents.mjs';
import { installTarballs } from './install.mjs';
import { nodeFor } from './node.mjs';
import { checkReadmes } from './readmes.mjs';

const MEBIBYTE = 1024 * 1024;

/** `tarballs` are `[{ name, file }]`. Throws a ReleaseFault that says what does not work. */
export async function tryOut(tarballs) {
  // The real path, and one with a space.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'openchamber packages ')));
  try {
    const installed = installTarballs(folder, tarballs);
    const version = workspaceVersion();
    checkContents(installed, tarballs);
    await tryCommands(installed, version);
    checkReadmes(installed);
    await bundleForBrowsers(installed);
    await forward(installed);
    process.stdout.write(`${installed.packages.map(({ name }) => name).join(', ')}: ${version} works.\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The demo with all that is installed; the rest of it is ours. */
async function forward({ folder, packages, command }) {
  const has = (name) => packages.some((found) => found.name === `@openchambery/${name}`);
  const relay = has('relay-server') ? 'relay-server' : undefined;
  if (relay === undefined) throw new ReleaseFault('There is no relay among the packages.');
  const options = {
    command: command('openchamber-relay'),
    bytes: MEBIBYTE,
    env: { PATH: nodeFor('>=20').path },
    ...(has('host') && has('client') ? { peers: installedPeers({ folder, packages }) } : {}),
  };
  if ((await runDemo(options)) !== 0) {
    throw new ReleaseFault('The installed packages did not take a file there and back.');
  }
}

/** In the folder of the installation, so that they find what is installed there, and no sources. */
function installedPeers({ folder, packages }) {
  const peers = join(folder, 'peers');
  mkdirSync(peers);
  for (const name of ['host.mjs', 'client.mjs']) {
    copyFileSync(join(root, 'scripts', 'demo', name), join(peers, name));
  }
  const { engines } = packages.find(({ name }) => name === '@openchambery/host').manifest;
  return { folder: peers, node: nodeFor(engines.node).node, nodeOptions: [] };
}
