// The workflows of CI and release: actionlint, rules of our own, and the scripts they call, `npm test` among them.
import { join } from 'node:path';
import { run } from '../../run/command.mjs';
import { root, tool } from '../../run/workspace.mjs';

/** Resolves to `{ passed, failed }`. */
export async function checkWorkflows() {
  const check = await run(tool('node'), [join(root, 'scripts', 'test', 'deploy', 'check-workflows.mjs')]);
  process.stdout.write(check.output);
  const tests = await run(
    tool('node'),
    [
      '--test',
      '--test-reporter=dot',
      'scripts/release/test/*.test.mjs',
      'scripts/test/deploy/check-workflows.test.mjs',
      'scripts/test/run-rounds.test.mjs',
    ],
    { cwd: root },
  );
  if (tests.code !== 0) process.stdout.write(tests.output);
  const faults = [check.code, tests.code].filter((code) => code !== 0).length;
  return { passed: 2 - faults, failed: faults };
}
