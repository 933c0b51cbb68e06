/**
 * Turns the JSON of a run into the text of docs/benchmarks-tunnel.md.
 * Run as a program: `node bench/tunnel/report.ts OUTPUT.md [INPUT.json]`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkRows, markdownTable, measurementRows, number } from '../table.ts';
import type { TunnelBenchmarkResults } from './results.ts';
import { otherWorkText } from './words.ts';

const reproduce = `<!-- not run: takes minutes of a quiet machine -->
\`\`\`sh
npm run build
npm run bench:tunnel
node --conditions=@openchambery/source bench/tunnel/report.ts docs/benchmarks-tunnel.md
\`\`\`

on a quiet Linux machine; it takes about ten minutes, a look with \`--quick\` two.`;

const method = `Client, relay, Host and origin are processes of their own on one machine, not pinned to cores; a plain and a tunnelled
round follow each other within seconds, and only one route is in use at a time. The relay is the published command, Host
and Client are the built packages. Nothing has to travel, so that what is compared is work alone, and where all processes
together are busier than the machine has cores, throughput says what all of them spend: between machines that are far
from each other the busiest of them decides, or the network.

- *tunnel*: \`fetch\` of the Client in Node, one tunnel for all streams, to an HTTP origin through a Host.
- *three plain hops*: WebSockets of the npm package \`ws\` (with its native masking) from client to relay, from relay to a
  Host that passes messages on, and from there to the origin, which answers the same bytes in messages of 64 KiB. No
  encryption, and a connection of its own for each stream. The origin hears no HTTP, which costs more than the messages
  of a small answer; so small requests are also compared like with like:
- *plain hops, the last one HTTP*: the same, but the plain Host asks the origin over HTTP.
- *WebSocket in the tunnel*: the same messages as over the three plain hops, on one WebSocket of the origin in the tunnel.
- *direct*: \`fetch\` of Node straight to the origin.

Every body is checked for its length and, chunk by chunk, for its content. CPU time is what the kernel's scheduler accounts
to all threads of a process. *Time to the end* of answers in drops is measured from the moment in which the origin wrote
the last KiB, which carries the time on the clock that all processes share, to the end of the body at the client: bytes
may wait up to 150 ms for company, and an end must not.`;

const [output, input = fileURLToPath(new URL('../results/tunnel-latest.json', import.meta.url))] =
  process.argv.slice(2);
if (output === undefined) {
  console.error('usage: bench/tunnel/report.ts OUTPUT.md [INPUT.json]');
  process.exitCode = 2;
} else {
  const results = JSON.parse(readFileSync(input, 'utf8')) as TunnelBenchmarkResults;
  writeFileSync(output, reportOf(results));
}

function reportOf(results: TunnelBenchmarkResults): string {
  return [
    '# Benchmarks of the tunnel',
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
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function introduction(results: TunnelBenchmarkResults): string {
  const { date, quick, usesSources, rounds, machine, versions } = results;
  const cautions = [
    ...(quick ? ['\n\n**Taken with `--quick`: little data. Not a result.**'] : []),
    ...(usesSources ? ['\n\n**Taken from the sources, not from what was built of them.**'] : []),
  ].join('');
  return `Written by \`bench/tunnel/report.ts\` from a run of \`npm run bench:tunnel\`; not edited by hand.

| | |
|---|---|
| date | ${date.slice(0, 10)} |
| commit | ${versions.commit} |
| machine | ${machine.cpu}, ${machine.cores} cores, ${number(machine.memoryBytes / 1024 ** 3)} GiB, Linux ${machine.kernel} |
| placement | ${machine.pinning}; ${otherWorkText(results)} |
| versions | Node ${versions.node}, ws ${versions.ws} (bufferutil ${versions.bufferutil}) |
| rounds | ${rounds} |${cautions}`;
}

function verdicts({ checks, failures }: TunnelBenchmarkResults): string {
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

/** What was tried: text that a run cannot know, kept in bench/tunnel/tried.md. */
function tried(): string {
  const file = new URL('tried.md', import.meta.url);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}
