// `npm run check`: the one static gate. Runs every check, prints what failed, exits with 1 if anything did.
//   npm run check -- lint types     runs only these
import { checks } from './check/checks.mjs';
import { seconds } from './run/duration.mjs';

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown check ${unknown.join(', ')}; there are ${checks.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(1);
}

let failed = 0;
for (const { name, run } of checks.filter((check) => wanted.length === 0 || wanted.includes(check.name))) {
  const startedAt = performance.now();
  const { code, output } = await run();
  process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds(startedAt)})\n`);
  if (code !== 0) {
    failed += 1;
    process.stdout.write(`${output.trimEnd()}\n\n`);
  }
}
if (failed > 0) {
  process.stdout.write(`${failed} of the static checks failed.\n`);
  process.exitCode = 1;
}
