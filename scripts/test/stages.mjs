// What `npm test` runs, in order. A stage has a name, `run` resolving to `{ passed, failed }`, and where it needs
// something a machine may lack, `skip` giving the reason to leave it out.
import { join } from 'node:path';
import { runInForeground } from '../run/command.mjs';
import { appFolder, root, tool } from '../run/workspace.mjs';
import { runDeployChecks } from './deploy/run-checks.mjs';
import { checkPackage } from './package-check.mjs';
import { runVitest } from './vitest-stage.mjs';

/** A stage of its own kind counts as one test. */
function asOneTest(code) {
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function runScript(...path) {
  return asOneTest(await runInForeground(tool('node'), [join(root, ...path)]));
}

async function build() {
  const types = await runInForeground(tool('tsc'), ['-b']);
  return asOneTest(types || (await runInForeground(tool('node'), [join(appFolder, 'bundle.mjs')])));
}

/** A program of the workspace in TypeScript, from its sources. */
async function runProgram(path, ...args) {
  const program = ['--conditions=@openchambery/source', join(root, ...path.split('/')), ...args];
  return asOneTest(await runInForeground(tool('node'), program));
}

/** All stages. Unit tests come before the build, so that a stale dist cannot hide a fault. */
export const stages = [
  { name: 'static checks', run: () => runScript('scripts', 'check.mjs') },
  { name: 'unit tests', run: () => runVitest('unit') },
  { name: 'build', run: build },
  { name: 'end-to-end tests of the installed command', run: () => runVitest('e2e') },
  { name: 'published package', run: async () => asOneTest(await checkPackage()) },
  { name: 'library example', run: () => runProgram('examples/library/main.ts') },
  { name: 'differential fuzz', run: () => runProgram('packages/wire/fuzz/run.ts', '--cases', '5000') },
  {
    name: 'fuzz of the push API',
    run: () => runProgram('apps/relay-server/fuzz/run.ts', '--cases', '4000'),
  },
  { name: 'deployment', run: () => runDeployChecks() },
  { name: 'soak', run: () => runProgram('soak/run.ts', '--seconds', '60') },
];
