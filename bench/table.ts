import type { Spread } from './measure/statistics.ts';
import type { BenchmarkResults, Check, Machine, Measurement, RivalName } from './results.ts';

const MAX_CONTENTION = 0.03;

/** How the rivals are called where people read. */
export const rivalTitles: Readonly<Record<RivalName, string>> = {
  ours: 'openchamber-relay',
  ws: 'relay on ws',
  nginx: 'nginx stream',
  'nginx-64k': 'nginx, 64 KiB buffers',
  uws: 'uWebSockets.js',
  push: 'openchamber-push-relay',
  'plain-push': 'plain handler',
  tunnel: 'tunnel',
  'tunnel-sockets': 'WebSocket in the tunnel',
  hops: 'three plain hops',
  'hops-http': 'plain hops, the last one HTTP',
  direct: 'direct HTTP',
};

/** The checks as rows of cells, the header first. */
export function checkRows(checks: readonly Check[]): string[][] {
  const header = ['scenario', 'case', 'figure', 'target', 'median', 'min … max', 'verdict'];
  const rows = checks.map((check) => [
    check.scenario,
    check.variant,
    check.figure,
    check.target,
    check.spread === undefined ? '–' : number(check.spread.median),
    check.spread === undefined ? '–' : rangeOf(check.spread),
    check.note === undefined ? check.verdict : `${check.verdict} (${check.note})`,
  ]);
  return [header, ...rows];
}

/** The absolute figures as rows, one column per rival. */
export function measurementRows(measurements: readonly Measurement[]): string[][] {
  const rivals = (Object.keys(rivalTitles) as RivalName[]).filter((rival) =>
    measurements.some((measurement) => measurement.rival === rival),
  );
  const rows = new Map<string, string[]>();
  for (const { scenario, variant, figure, unit, rival, spread } of measurements) {
    const key = [scenario, variant, figure].join('\n');
    const row = rows.get(key) ?? [scenario, variant, `${figure} [${unit}]`, ...rivals.map(() => '–')];
    row[3 + rivals.indexOf(rival)] = `${number(spread.median)} (${rangeOf(spread)})`;
    rows.set(key, row);
  }
  return [['scenario', 'case', 'figure', ...rivals.map((rival) => rivalTitles[rival])], ...rows.values()];
}

/** The lines that stand above the tables on a terminal. */
export function headLines(results: BenchmarkResults): string[] {
  const { machine, versions } = results;
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.pinning}, ${contentionText(machine)}`,
    `node ${versions.node}, ws ${versions.ws} (bufferutil ${versions.bufferutil}), nginx ${versions.nginx}, commit ${versions.commit}`,
    ...results.unavailable.map(({ rival, reason }) => `NOT AVAILABLE: ${rivalTitles[rival]}: ${reason}`),
    ...results.failures.map(({ scenario, error }) => `FAILED: ${scenario}: ${error}`),
  ];
}

/** How much other work there was on the machine, with a warning where it was too much. */
export function contentionText({ contention }: Machine): string {
  const share = `generator waited for its core ${number(contention * 100)} % of the time`;
  return contention > MAX_CONTENTION ? `${share} (OTHER WORK DISTURBED THIS RUN)` : share;
}

/** Rows with columns padded to one width. */
export function alignedTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Rows as a table of Markdown, the first one its header. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [header = [], ...body] = rows;
  return [markdownRow(header), `|${header.map(() => '---').join('|')}|`, ...body.map(markdownRow)].join('\n');
}

/** Three significant digits, whole numbers from 1000 on. */
export function number(value: number): string {
  return Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function rangeOf(spread: Spread): string {
  return `${number(spread.min)} … ${number(spread.max)}`;
}
