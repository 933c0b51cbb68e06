// Packs the published packages into the tarballs that are tested and then published, byte for byte.
//   PACK_FOLDER=/tmp/packages SCOPE=all|relay [GITHUB_SERVER_URL=… GITHUB_REPOSITORY=owner/name] node scripts/release/pack.mjs
// Outputs: packages (JSON, in the order of publishing: name, file in that folder, integrity).
// Needs the set-up (`npm run setup`).
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildLibraries, packPackage } from './pack-package.mjs';
import { publishedFolders } from './published.mjs';
import { required, runStep, writeOutputs } from './step.mjs';

await runStep(() => {
  const destination = resolve(required('PACK_FOLDER'));
  const folders = publishedFolders(required('SCOPE'));
  mkdirSync(destination, { recursive: true });
  buildLibraries();
  const packages = folders.map((folder) => packPackage(folder, { destination }));
  writeOutputs({ packages: JSON.stringify(packages) });
});
