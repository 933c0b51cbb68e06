// What `npm test` runs. A stage has a name, and `run` resolving to `{ passed, failed, skipped? }`.
import { join } from 'node:path';
import { runInForeground } from '../run/command.mjs';
import { appFolder, root, tool, tunnelFolder } from '../run/workspace.mjs';
import { checkInBrowser, installChromium } from './browser/browser-tests.mjs';
import { checks } from './deploy/checks.mjs';
import { checkPackages } from './package-check.mjs';
import { runVitest } from './vitest-stage.mjs';

/** A stage of its own kind counts as one test. */
function asOneTest(code) {
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function runScript(...path) {
  return asOneTest(await runInForeground(tool('node'), [join(root, ...path)]));
}

async function build() {
  let code = await runInForeground(tool('tsc'), ['-b']);
  for (const folder of [appFolder, tunnelFolder]) {
    code ||= await runInForeground(tool('node'), [join(folder, 'bundle.mjs')]);
  }
  return asOneTest(code);
}

/** A program of the workspace in TypeScript, from its sources. */
function program(name, path, ...args) {
  const command = ['--conditions=@openchambery/source', join(root, ...path.split('/')), ...args];
  return { name, run: async () => asOneTest(await runInForeground(tool('node'), command)) };
}

function deployment(wanted) {
  const { name, run } = checks.find((check) => check.name === wanted);
  return { name: `deployment: ${name}`, run };
}

/**
 * All stages, in rounds. A round is one lane or more; lanes run side by side, the stages of a lane one after the other.
 * Only what waits more than it computes has company, and only company that changes nothing it looks at.
 */
export const rounds = [
  [[{ name: 'static checks', run: () => runScript('scripts', 'check.mjs') }]],
  // Before the build, so that a stale dist cannot hide a fault.
  [[{ name: 'unit tests', run: () => runVitest('unit') }]],
  [[{ name: 'build', run: build }]],
  // Builds and bundles anew: nothing may run beside it that uses what is built.
  [
    [{ name: 'published packages', run: async () => asOneTest(await checkPackages()) }],
    // A download, which uses none of it.
    [{ name: 'browser for its tests', run: installChromium }],
  ],
  // What is deployed is built by another program, or is a network of its own, or runs one command at a time.
  [
    [{ name: 'end-to-end tests of the installed command', run: () => runVitest('e2e') }],
    ['image', 'proxies', 'systemd', 'docs', 'workflows', 'compose'].map(deployment),
  ],
  // Two browsers compute all the while.
  [[{ name: 'browser', run: checkInBrowser }]],
  // The soak has processes and deadlines of its own, and mostly waits for these; fuzzing only computes.
  [
    [deployment('binary')],
    [
      program('soak', 'soak/run.ts', '--seconds', '60'),
      program('differential fuzz', 'packages/wire/fuzz/run.ts', '--cases', '5000'),
      program('fuzz of the push API', 'apps/relay-server/fuzz/run.ts', '--cases', '4000'),
      program('fuzz of the tunnel', 'packages/tunnel/fuzz/run.ts', '--cases', '10000'),
      program('client bundle', 'packages/client/scripts/size.mjs'),
      program('library example', 'examples/library/main.ts'),
    ],
  ],
];
