// `npm run test:deploy`: puts to work what operators deploy. Ends with "N passed, N failed, N skipped" alone on the last line.
//   npm run test:deploy -- compose image     only these
import { setUp } from '../setup/set-up.mjs';
import { checks } from './deploy/checks.mjs';
import { runDeployChecks } from './deploy/run-checks.mjs';

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown check ${unknown.join(', ')}; there are ${checks.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(1);
}
await setUp();
const { passed, failed, skipped } = await runDeployChecks(wanted);
process.exitCode = failed === 0 ? 0 : 1;
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
