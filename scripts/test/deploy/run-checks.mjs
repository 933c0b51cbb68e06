// Runs the checks of the deployment one after the other, and adds up what they say.
import { seconds } from '../../run/duration.mjs';
import { checks } from './checks.mjs';

/** Runs the checks with these names, or all; resolves to `{ passed, failed, skipped }`. */
export async function runDeployChecks(wanted = []) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, run } of checks.filter((check) => wanted.length === 0 || wanted.includes(check.name))) {
    const startedAt = performance.now();
    process.stdout.write(`\n--- ${name}\n`);
    const { passed, failed, skipped = 0 } = await run();
    totals.passed += passed;
    totals.failed += failed;
    totals.skipped += skipped;
    const verdict = failed > 0 ? 'FAILED' : 'passed';
    const remark = skipped > 0 ? `, ${skipped} SKIPPED` : '';
    process.stdout.write(`--- ${name}: ${verdict}${remark} (${seconds(startedAt)})\n`);
  }
  return totals;
}
