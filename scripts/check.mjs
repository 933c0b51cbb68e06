// `npm run check`: the one static gate. Runs every check, prints what failed, exits with 1 if anything did.
//   npm run check -- lint types     runs only these
import { rounds } from './check/checks.mjs';
import { seconds } from './run/duration.mjs';

const wanted = process.argv.slice(2);
const names = rounds.flat(2).map(({ name }) => name);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`Unknown check ${unknown.join(', ')}; there are ${names.join(', ')}.\n`);
  process.exit(1);
}

let failed = 0;
for (const lanes of rounds) await Promise.all(lanes.map(runLane));
if (failed > 0) {
  process.stdout.write(`${failed} of the static checks failed.\n`);
  process.exitCode = 1;
}

async function runLane(lane) {
  for (const { name, run } of lane.filter((check) => wanted.length === 0 || wanted.includes(check.name))) {
    const startedAt = performance.now();
    const { code, output } = await run();
    process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds(startedAt)})\n`);
    if (code === 0) continue;
    failed += 1;
    process.stdout.write(`${output.trimEnd()}\n\n`);
  }
}
