// Which packages go to npm. The others are parts of these, or serve the workspace alone.
import { join } from 'node:path';
import { appFolder, root, tunnelFolder } from '../run/workspace.mjs';

const RELAY = [appFolder];

/** Dependencies first, so that at no moment npm has a package whose dependencies it does not have. */
const ALL = [
  join(root, 'packages', 'protocol'),
  join(root, 'packages', 'tunnel'),
  join(root, 'packages', 'host'),
  join(root, 'packages', 'client'),
  tunnelFolder,
  ...RELAY,
];

/** The folders of what a release publishes, in the order in which it does; `scope` is that of a tag. */
export function publishedFolders(scope) {
  return scope === 'relay' ? RELAY : ALL;
}
