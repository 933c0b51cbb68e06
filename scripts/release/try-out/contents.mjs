// What is in the packages, and what is not.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tool } from '../../run/workspace.mjs';
import { ReleaseFault } from '../release-fault.mjs';
import { runTool } from '../step.mjs';

/** Throws a ReleaseFault that lists everything that should not be published like this. */
export function checkContents({ folder, packages }, tarballs) {
  const names = packages.map(({ name }) => name);
  const scope = join(folder, 'node_modules', '@openchambery');
  const faults = [
    ...packages.flatMap((found) => faultsOf(found).map((fault) => `${found.name}: ${fault}`)),
    ...readdirSync(scope)
      .filter((name) => !names.includes(`@openchambery/${name}`))
      .map((name) => `@openchambery/${name} came along`),
    ...tarballs.flatMap(lint),
  ];
  if (faults.length > 0) {
    throw new ReleaseFault(`The packages are not fit to publish:\n${faults.join('\n')}`);
  }
}

function faultsOf({ folder }) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  return [
    ...files
      .filter((file) => /\.[cm]?tsx?$/.test(file) && !/\.d\.[cm]?ts$/.test(file))
      .map((file) => `${file} is TypeScript`),
    ...files.filter((file) => /tsbuildinfo$|\.map$/.test(file)).map((file) => `${file} is of no use`),
    ...files.filter((file) => leadsToSources(folder, file)).map((file) => `${file} imports TypeScript`),
    ...files
      .filter((file) => /(^|[\\/])node_modules[\\/]@openchambery$/.test(file))
      .map((file) => `${file} is a second copy of one of our packages`),
    ...['README.md', 'LICENSE'].filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...(/workspace:|catalog:/.test(manifest) ? ['package.json has ranges that only pnpm understands'] : []),
    ...(manifest.includes('@openchambery/source') ? ['package.json leads to sources'] : []),
  ];
}

function leadsToSources(folder, file) {
  return (
    /\.[cm]?js$/.test(file) &&
    /(?:from|import)\s*\(?["']\.[^"']*\.ts["']/.test(readFileSync(join(folder, file), 'utf8'))
  );
}

function lint({ file, name }) {
  const { code, output } = runTool(tool('publint'), ['run', file, '--strict'], {});
  return code === 0 ? [] : [`${name}: ${output}`];
}
