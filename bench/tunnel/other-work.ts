import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { cpuNs } from '../measure/process-meter.ts';

/** USER_HZ is 100 on every Linux that Node runs on. */
const NS_PER_TICK = 1e7;

/** Measures how much of the machine programs outside of this benchmark use. */
export class OtherWork {
  readonly #pids: readonly number[];
  readonly #began = performance.now();
  readonly #busyAtStart = busyNs();
  readonly #ownAtStart: number;

  /** @param pids everybody of the benchmark, besides this process */
  constructor(pids: readonly number[]) {
    this.#pids = [...pids, process.pid];
    this.#ownAtStart = this.#own();
  }

  /** The share of all cores since the start, 0 to 1. */
  get share(): number {
    const others = busyNs() - this.#busyAtStart - (this.#own() - this.#ownAtStart);
    const available = (performance.now() - this.#began) * 1e6 * availableParallelism();
    return Math.max(0, others / available);
  }

  #own(): number {
    return this.#pids.reduce((total, pid) => total + cpuNs(pid), 0);
  }
}

/** Time that all cores together have spent on programs: user, nice and system of proc(5), without interrupts. */
function busyNs(): number {
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0] = first.split(/\s+/).slice(1).map(Number);
  return (user + nice + system) * NS_PER_TICK;
}
