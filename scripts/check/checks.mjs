// The static checks, in the order they run. Types come before what needs their output.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from '../run/command.mjs';
import { appFolder, root, tool, tunnelFolder, workspaceFolders } from '../run/workspace.mjs';

/**
 * Every check: a name, and `run` resolving to `{ code, output }`. In rounds: the lanes of a round run side by side. The
 * packages come last and alone, as npm packs from another package.json.
 */
export const rounds = [
  [[{ name: 'format', run: () => run(tool('biome'), ['format', '.']) }]],
  [[{ name: 'types', run: () => run(tool('tsc'), ['-b']) }]],
  [
    [
      { name: 'test-types', run: () => run(tool('tsc'), ['-p', 'tsconfig.tests.json']) },
      // A page has the names of a browser, and none of Node's.
      { name: 'page-types', run: () => run(tool('tsc'), ['-p', 'examples/browser/page']) },
      // Its tests have both: what they hand to the page runs there.
      { name: 'page-test-types', run: () => run(tool('tsc'), ['-p', 'examples/browser/test']) },
    ],
    [
      { name: 'lint', run: () => run(tool('oxlint'), ['--type-aware', '--deny-warnings', '.']) },
      { name: 'dependencies', run: checkDependencies },
      { name: 'dead-code', run: () => run(tool('knip'), []) },
    ],
  ],
  [[{ name: 'packages', run: checkPackages }]],
];

/** Direction and cycles. A misread configuration would cruise nothing and pass, so that is a failure too. */
async function checkDependencies() {
  const folders = ['packages', 'apps', 'bench'];
  const options = ['--config', '.dependency-cruiser.mjs', '--output-type', 'err-long'];
  const { code, output } = await run(tool('depcruise'), [...folders, ...options]);
  const modules = Number(/([0-9]+) modules/.exec(output)?.[1] ?? 0);
  return modules > 0 ? { code, output } : { code: 1, output: `Not one module was looked at.\n${output}` };
}

/** Every package that is published: publint against what `npm pack` would take. */
async function checkPackages() {
  for (const folder of [appFolder, tunnelFolder]) await run(tool('node'), [join(folder, 'bundle.mjs')]);
  const results = [];
  for (const folder of workspaceFolders().filter(isPublished)) {
    const { code, output } = await run(tool('publint'), ['run', folder, '--strict', '--pack', 'npm']);
    results.push({ code, output: `${relative(root, folder)}: ${output}` });
  }
  return {
    code: results.every(({ code }) => code === 0) ? 0 : 1,
    output: results.map(({ output }) => output).join('\n'),
  };
}

function isPublished(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).private !== true;
}
