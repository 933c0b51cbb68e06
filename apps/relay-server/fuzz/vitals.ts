import { readdirSync, readFileSync } from 'node:fs';
import { residentBytes } from '@openchambery/testkit';

/** What a process holds of the machine (Linux). */
export interface Vitals {
  readonly residentBytes: number;
  readonly descriptors: number;
  /** Processor time used so far, in seconds. */
  readonly cpuSeconds: number;
}

/** Ticks per second of /proc: 100 on every Linux there is (sysconf(_SC_CLK_TCK)). */
const TICKS = 100;

/** Reads what a process holds; throws when it is gone. */
export function readVitals(pid: number): Vitals {
  // The name of the program, in parentheses, may hold spaces; utime and stime are fields 14 and 15 (proc(5)).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return {
    residentBytes: residentBytes(pid),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
  };
}
