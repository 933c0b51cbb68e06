// Where things are, and which folders belong to the workspace.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout, whatever the current directory is. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The folder of the tools the workspace installs, Node 24 among them. */
export const binFolder = join(root, 'node_modules', '.bin');

/** The folder of the relays' commands. */
export const appFolder = join(root, 'apps', 'relay-server');

/** The folder of the tunnel's command. */
export const tunnelFolder = join(root, 'apps', 'tunnel');

/** A tool of the workspace by name. */
export function tool(name) {
  return join(binFolder, name);
}

/** Every folder with a package.json that pnpm-workspace.yaml takes in, the root first. */
export function workspaceFolders() {
  const nested = ['packages', 'apps', 'examples']
    .map((parent) => join(root, parent))
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)));
  return [root, ...nested, join(root, 'bench')].filter((folder) => existsSync(join(folder, 'package.json')));
}
