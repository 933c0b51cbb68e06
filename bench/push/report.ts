/**
 * Turns the JSON of a run into the text of docs/benchmarks-push.md.
 * Run as a program: `node bench/push/report.ts OUTPUT.md [INPUT.json]`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkRows, contentionText, markdownTable, measurementRows, number } from '../table.ts';
import type { PushBenchmarkResults } from './results.ts';

const reproduce = `<!-- not run: takes minutes of a quiet machine -->
\`\`\`sh
npm run build
npm run bench:push -- --million
node --conditions=@openchambery/source bench/push/report.ts docs/benchmarks-push.md
\`\`\`

on a quiet Linux machine with two cores or more; it takes about twenty minutes, a look with \`--quick\` two.`;

const method = `The push relay is the published command with 100,000 bindings of 1000 servers in its database, a process of its
own on one core. The provider it pushes to (the fake APNs of packages/testkit over TLS, recording nothing) and the load
generator share the other. CPU time is what the kernel's scheduler accounts to all threads of the process. Every request
is signed anew by the generator and every answer is checked. Both sides are warmed up for five seconds of CPU before
anything counts; rounds alternate (A B, B A).

The plain handler beside it is \`node:http\` with a key import, a verification and a new HTTP/2 connection to the provider
for each push; it has no database, no limits, no memory of what was sent, and one provider token for its whole life.

*Added latency* is the time of a single-token send at 30 % of the relay's capacity (requests per second of CPU, found
just before), arrivals at random, less the time of a push that the generator sends straight to the provider over a
connection it keeps, at the same rate. Percentiles are subtracted, not pushes; arrivals that fall due in the same
millisecond go out together. Where other work on the machine kept the relay from its core for more than 3 % of the time
the table says so, and the latency is not the relay's. *Growth over the second half* is the slope of the resident memory, fitted by least squares,
times half of the pushes.`;

const [output, input = fileURLToPath(new URL('../results/push-latest.json', import.meta.url))] =
  process.argv.slice(2);
if (output === undefined) {
  console.error('usage: bench/push/report.ts OUTPUT.md [INPUT.json]');
  process.exitCode = 2;
} else {
  const results = JSON.parse(readFileSync(input, 'utf8')) as PushBenchmarkResults;
  writeFileSync(output, reportOf(results));
}

function reportOf(results: PushBenchmarkResults): string {
  return [
    '# Benchmarks of the push relay',
    introduction(results),
    '## Ratios and targets',
    'Medians over the rounds, ratios formed round by round; the smallest and largest round beside them.',
    markdownTable(checkRows(results.checks)),
    verdicts(results),
    tried(),
    '## Absolute figures',
    'Median (min … max) over the rounds. They hold for this machine; the ratios travel better.',
    markdownTable(measurementRows(results.measurements)),
    '## How to reproduce it',
    reproduce,
    '## How it is measured',
    method,
    '## Limits that differ from the defaults',
    limits(results),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function introduction({ date, quick, rounds, machine, versions }: PushBenchmarkResults): string {
  const caution = quick ? '\n\n**Taken with `--quick`: short windows. Not a result.**' : '';
  return `Written by \`bench/push/report.ts\` from a run of \`npm run bench:push\`; not edited by hand.

| | |
|---|---|
| date | ${date.slice(0, 10)} |
| commit | ${versions.commit} |
| machine | ${machine.cpu}, ${machine.cores} cores, ${number(machine.memoryBytes / 1024 ** 3)} GiB, Linux ${machine.kernel} |
| placement | ${machine.pinning}; ${contentionText(machine)} |
| versions | Node ${versions.node}, SQLite ${versions.sqlite} |
| rounds | ${rounds} |${caution}`;
}

function verdicts({ checks, failures }: PushBenchmarkResults): string {
  const judged = checks.filter(({ verdict }) => verdict !== 'no target');
  const missed = judged.filter(({ verdict }) => verdict === 'missed');
  const met = judged.filter(({ verdict }) => verdict === 'met');
  return [
    `${met.length} of ${judged.length} targets met, ${missed.length} missed.`,
    ...missed.map(
      ({ scenario, variant, figure, target, spread }) =>
        `- **Missed:** ${scenario}, ${variant}: ${figure} is ${spread === undefined ? '–' : number(spread.median)}, the target ${target}.`,
    ),
    ...failures.map(({ scenario, error }) => `- **The scenario ${scenario} failed:** ${error}`),
  ].join('\n');
}

/** What was tried: text that a run cannot know, kept in bench/push/tried.md. */
function tried(): string {
  const file = new URL('tried.md', import.meta.url);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}

function limits({ limits: raised }: PushBenchmarkResults): string {
  const list = Object.entries(raised).map(([name, value]) => `\`${name}=${value}\``);
  return `${list.join(', ')}; \`MAX_IN_FLIGHT=200\` in the cases that say so. The generator is one address, and it sends
in a second what many servers send in an hour. Replay marks are kept for 20 s instead of ten minutes, so that their table
is in its steady state, in which as many are forgotten as are added. Everything else is the default.`;
}
