/**
 * Turns the JSON of a run into the text of docs/benchmarks.md.
 * Run as a program: `node bench/report.ts OUTPUT.md [INPUT.json]`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BenchmarkResults, Check } from './results.ts';
import { checkRows, contentionText, markdownTable, measurementRows, number, rivalTitles } from './table.ts';

const method = `Every relay is a process of its own on one core; the load generator has another. CPU time is what the
kernel's scheduler accounts to the relay's threads, memory is its resident set. Rounds of all rivals alternate (A B, B A),
so that a drift of the machine meets all of them. The generator speaks raw TCP with frames built beforehand and counts
frame headers only. Where "generator busy" is near 1 the generator was the limit, and the relay was not driven as hard as
it could be: its batches are then smaller and its CPU per frame larger than under full load. What each scenario does
stands in [bench/README.md](../bench/README.md).`;

const [output, input = fileURLToPath(new URL('results/latest.json', import.meta.url))] =
  process.argv.slice(2);
if (output === undefined) {
  console.error('usage: bench/report.ts OUTPUT.md [INPUT.json]');
  process.exitCode = 2;
} else {
  const results = JSON.parse(readFileSync(input, 'utf8')) as BenchmarkResults;
  writeFileSync(output, reportOf(results));
}

function reportOf(results: BenchmarkResults): string {
  return [
    '# Benchmarks',
    introduction(results),
    '## Ratios and targets',
    'Medians of the ratios formed round by round; the smallest and largest round beside them.',
    markdownTable(checkRows(results.checks)),
    missedSection(results.checks),
    triedSection(),
    absenceSection(results),
    '## Absolute figures',
    'Median (min … max) over the rounds. They hold for this machine; the ratios travel better.',
    markdownTable(measurementRows(results.measurements)),
    '## How it is measured',
    method,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function introduction({ date, quick, rounds, machine, versions }: BenchmarkResults): string {
  const caution = quick ? '\n\n**Taken with `--quick`: short windows, few pairs. Not a result.**' : '';
  return `Written by \`bench/report.ts\` from a run of \`pnpm bench\`; not edited by hand.

| | |
|---|---|
| date | ${date.slice(0, 10)} |
| commit | ${versions.commit} |
| machine | ${machine.cpu}, ${machine.cores} cores, ${number(machine.memoryBytes / 1024 ** 3)} GiB, Linux ${machine.kernel} |
| placement | ${machine.pinning}; ${contentionText(machine)} |
| versions | Node ${versions.node}, ws ${versions.ws} (bufferutil ${versions.bufferutil}), nginx ${versions.nginx} |
| rounds | ${rounds} |${caution}`;
}

function missedSection(checks: readonly Check[]): string {
  const missed = checks.filter(({ verdict }) => verdict === 'missed');
  const unknown = checks.filter(({ verdict }) => verdict === 'not available');
  const met = checks.filter(({ verdict }) => verdict === 'met');
  const summary = `${met.length} of ${met.length + missed.length + unknown.length} targets met, ${missed.length} missed, ${unknown.length} not available.`;
  const lines = missed.map(
    ({ scenario, variant, figure, target, spread }) =>
      `- **Missed:** ${scenario}, ${variant}: ${figure} is ${spread === undefined ? '–' : number(spread.median)}, the target ${target}.`,
  );
  return [summary, lines.join('\n')].filter((part) => part !== '').join('\n\n');
}

/** What was tried for the targets that are missed: text that a run cannot know, kept in bench/tried.md. */
function triedSection(): string {
  const file = new URL('tried.md', import.meta.url);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}

function absenceSection({ unavailable, failures }: BenchmarkResults): string {
  return [
    ...unavailable.map(({ rival, reason }) => `- Not available: ${rivalTitles[rival]}: ${reason}.`),
    ...failures.map(({ scenario, error }) => `- **The scenario ${scenario} failed:** ${error}`),
  ].join('\n');
}
