// Checks the documentation: what it names exists, what comes from the code is up to date, what it shows works.
//   node scripts/test/deploy/docs.mjs [page…]
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { run } from '../../run/command.mjs';
import { seconds } from '../../run/duration.mjs';
import { root, tool } from '../../run/workspace.mjs';
import { runPage } from './docs.commands.mjs';
import { examinePages } from './docs.examine.mjs';
import { findBlindSpots } from './docs.faults.mjs';
import { readPages, readWorld } from './docs.pages.mjs';
import { findTypeFaults } from './docs.types.mjs';

/** Pages whose commands run at the same time. */
const AT_ONCE = 2;

/** Resolves to `{ passed, failed, skipped }`; `only` names pages. */
export async function checkDocs(only = []) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const report = ({ name, outcome, detail }) => {
    counts[outcome] += 1;
    const lines = detail === '' ? '' : `: ${detail.trimEnd().replaceAll('\n', '\n    ')}`;
    process.stdout.write(`${outcome === 'passed' ? 'passed' : outcome.toUpperCase()} ${name}${lines}\n`);
  };
  const timed = async (name, check) => {
    const startedAt = performance.now();
    const faults = await check();
    const label = `${name} (${seconds(startedAt)})`;
    report({ name: label, outcome: faults.length === 0 ? 'passed' : 'failed', detail: faults.join('\n') });
  };

  const pages = readPages(root);
  const world = readWorld(root);
  await timed('links, names and examples', () => examinePages(pages, world));
  await timed('pages that come from the code', checkGenerated);
  await timed('types of examples', () => findTypeFaults(pages, root));
  if (only.length === 0) await timed('this check notices what it should', () => findBlindSpots(pages, world));

  const waiting = pages.filter(
    ({ path, isDocumentation }) => isDocumentation && (only.length === 0 || only.includes(path)),
  );
  const work = async () => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
      const startedAt = performance.now();
      const results = await runPage(page, root);
      results.forEach(report);
      if (results.length > 0) process.stdout.write(`       ${page.path} (${seconds(startedAt)})\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return counts;
}

async function checkGenerated() {
  const { code, output } = await run(tool('node'), [join(root, 'scripts', 'docs', 'write.mjs'), '--check']);
  return code === 0 ? [] : [output];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { passed, failed, skipped } = await checkDocs(process.argv.slice(2));
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
