// `npm test`: sets up, then runs everything CI runs. Ends with "N passed, N failed" alone on the last line.
import { seconds } from './run/duration.mjs';
import { setUp } from './setup/set-up.mjs';
import { runRounds } from './test/run-rounds.mjs';
import { startStage } from './test/stage-process.mjs';

await setUp();
// Only now: stages use packages that the set-up has installed.
const { rounds } = await import('./test/stages.mjs');
const startedAt = performance.now();
const results = await runRounds(rounds, { start: announceAndStart, report });
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
const totals = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
const skipped = results.filter(({ isSkipped }) => isSkipped).map(({ name }) => name);

say('\n=== in short');
for (const result of results) say(`${verdictOf(result).padEnd(8)} ${result.name}${timeOf(result)}`);
say(
  `\n${skipped.length === 0 ? 'Nothing was skipped' : `SKIPPED, as another stage failed: ${skipped.join(', ')}`}; ${seconds(startedAt)} in all.`,
);
process.exitCode = totals.failed === 0 ? 0 : 1;
say(
  `${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''}`,
);

function announceAndStart(stage, { isAlone }) {
  say(isAlone ? `\n=== ${stage.name}` : `\n(${stage.name} has begun; what it says follows when it is over)`);
  return startStage(stage, { isAlone });
}

/** What a stage has said, if that was kept back, whole; then its verdict. */
function report(result, output) {
  if (output !== '') say(`\n=== ${result.name}\n${output.trimEnd()}`);
  say(`=== ${result.name}: ${verdictOf(result)}${timeOf(result)}`);
}

function verdictOf({ isSkipped, failed }) {
  if (isSkipped) return 'SKIPPED';
  return failed === 0 ? 'passed' : 'FAILED';
}

function timeOf({ isSkipped, ms, skipped }) {
  const remark = skipped > 0 ? `, ${skipped} SKIPPED` : '';
  return isSkipped ? '' : ` (${(ms / 1000).toFixed(1)} s${remark})`;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
