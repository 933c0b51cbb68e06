// `npm test`: sets up, then runs everything CI runs. Ends with "N passed, N failed" alone on the last line.
import { seconds } from './run/duration.mjs';
import { setUp } from './setup/set-up.mjs';
import { stages } from './test/stages.mjs';

await setUp();
const totals = { passed: 0, failed: 0, skipped: 0 };
const skipped = [];
const startedAt = performance.now();

for (const { name, skip, run } of stages) {
  const reason = totals.failed > 0 ? 'an earlier stage failed' : await skip?.();
  if (reason) {
    skipped.push(name);
    say(`\n=== ${name}: SKIPPED (${reason})`);
    continue;
  }
  say(`\n=== ${name}`);
  const stageStartedAt = performance.now();
  const { passed, failed, skipped: skippedTests = 0 } = await run();
  totals.passed += passed;
  totals.failed += failed;
  totals.skipped += skippedTests;
  say(`=== ${name}: ${failed === 0 ? 'passed' : 'FAILED'} (${seconds(stageStartedAt)})`);
}

say(
  `\n${skipped.length === 0 ? 'Nothing was skipped' : `SKIPPED: ${skipped.join(', ')}`}; ${seconds(startedAt)} in all.`,
);
process.exitCode = totals.failed === 0 ? 0 : 1;
say(
  `${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''}`,
);

function say(text) {
  process.stdout.write(`${text}\n`);
}
