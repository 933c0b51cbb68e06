// Runs one vitest project and counts what it says.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInForeground } from '../run/command.mjs';
import { tool } from '../run/workspace.mjs';

/** Runs a project, or what more `args` leave of it; resolves to `{ passed, failed }`. */
export async function runVitest(project, { args = [], env = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-test-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
    const command = ['run', '--project', project, ...reporters, ...args];
    // Tests start programs from their sources again and again; each is stripped of its types and compiled once.
    const cache = { NODE_COMPILE_CACHE: join(folder, 'compiled') };
    const code = await runInForeground(tool('vitest'), command, { env: { ...cache, ...env } });
    return count(report, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A run can fail without a failed test: a file that does not load, an unhandled error, no test at all. */
function count(report, code) {
  const { numPassedTests: passed, numFailedTests: failed } = readReport(report);
  const failedOtherwise = failed === 0 && (code !== 0 || passed === 0);
  return { passed, failed: failedOtherwise ? 1 : failed };
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    process.stderr.write(`vitest left no report: ${error.message}\n`);
    return { numPassedTests: 0, numFailedTests: 1 };
  }
}
