import { number } from '../table.ts';
import type { TunnelBenchmarkResults } from './results.ts';

/** Beyond this share of the machine other programs make figures worthless. */
const MAX_OTHER_WORK = 0.03;

/** How much other work there was on the machine, with a warning where it was too much. */
export function otherWorkText({ machine }: TunnelBenchmarkResults): string {
  const text = `other programs used ${number(machine.contention * 100)} % of it`;
  return machine.contention > MAX_OTHER_WORK ? `${text} (OTHER WORK DISTURBED THIS RUN)` : text;
}

/** The lines that stand above the tables on a terminal. */
export function headLines(results: TunnelBenchmarkResults): string[] {
  const { machine, versions } = results;
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.pinning}, ${otherWorkText(results)}`,
    `node ${versions.node}, ws ${versions.ws} (bufferutil ${versions.bufferutil}), commit ${versions.commit}`,
    ...results.failures.map(({ scenario, error }) => `FAILED: ${scenario}: ${error}`),
  ];
}
