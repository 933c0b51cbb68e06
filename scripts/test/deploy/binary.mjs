// The single executable: what it promises about its surroundings, and all black-box tests of the relay against it.
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildExecutable } from '../../binary/executable.mjs';
import { appFolder } from '../../run/workspace.mjs';
import { runVitest } from '../vitest-stage.mjs';
import { describeExecutable } from './binary.measure.mjs';
import { checkSurroundings, pushLinkTo } from './binary.surroundings.mjs';
import { createTally } from './tally.mjs';

/** The push relay's own tests do not start the relay; the last one reads the files of the npm package. */
const NOT_ABOUT_THE_EXECUTABLE = /^(?:push-|cli-push-|combined-start-modules[.])/;

/** Most files wait for timers of the relay, so that more of them than there are cores can run at once. */
const WORKERS = availableParallelism() + 2;

/** Resolves to `{ passed, failed, skipped }`. */
export async function checkBinary() {
  const tally = createTally();
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-binary-'));
  try {
    // For every user: one of the tests is another one.
    chmodSync(folder, 0o755);
    const executable = join(folder, 'openchamber-relay');
    await tally.test('the executable is built', () => buildExecutable(executable));
    if (tally.counts().failed > 0) return tally.counts();
    await checkSurroundings(tally, { executable, folder });
    await describeExecutable(executable);
    return add(tally.counts(), await runBlackBoxTests(executable));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runBlackBoxTests(executable) {
  const folder = join(appFolder, 'test', 'e2e');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts') && !NOT_ABOUT_THE_EXECUTABLE.test(name))
    .map((name) => join(folder, name));
  return runVitest('e2e', {
    args: [`--maxWorkers=${WORKERS}`, ...files],
    env: { OPENCHAMBER_RELAY_COMMAND: executable, OPENCHAMBER_PUSH_RELAY_COMMAND: pushLinkTo(executable) },
  });
}

function add(one, { passed, failed }) {
  return { ...one, passed: one.passed + passed, failed: one.failed + failed };
}
