// One line for each test, and the sums.
import { seconds } from '../../run/duration.mjs';

/** Counts tests and prints each with its time; a test that throws has failed, and the next ones run all the same. */
export function createTally(write = (text) => process.stdout.write(text)) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  return {
    async test(name, body) {
      const startedAt = performance.now();
      try {
        await body();
        counts.passed += 1;
        write(`ok      ${name} (${seconds(startedAt)})\n`);
      } catch (error) {
        counts.failed += 1;
        write(`FAILED  ${name} (${seconds(startedAt)})\n${indent(error.stack ?? String(error))}\n`);
      }
    },
    skip(name, reason) {
      counts.skipped += 1;
      write(`SKIPPED ${name}: ${reason}\n`);
    },
    /** Takes over what another process has counted. */
    add({ passed, failed, skipped = 0 }) {
      counts.passed += passed;
      counts.failed += failed;
      counts.skipped += skipped;
    },
    counts: () => ({ ...counts }),
  };
}

function indent(text) {
  return text.replaceAll(/^/gm, '        ');
}
