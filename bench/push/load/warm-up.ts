import { setTimeout as sleep } from 'node:timers/promises';
import { cpuNs } from '../../measure/process-meter.ts';
import { type ClosedLoopOptions, withClosedLoop } from './closed-loop.ts';

const CPU_SECONDS = 5;
const QUICK_CPU_SECONDS = 2;
const POLL_MS = 100;
const MAX_MS = 60_000;

/**
 * Drives a process until it has spent so many seconds of CPU on requests: by then its code is compiled, whatever else
 * the machine does meanwhile.
 */
export async function warmUp(
  options: ClosedLoopOptions,
  { pid, quick }: { readonly pid: number; readonly quick: boolean },
): Promise<void> {
  const enough = cpuNs(pid) + (quick ? QUICK_CPU_SECONDS : CPU_SECONDS) * 1e9;
  await withClosedLoop(options, async (loop) => {
    const deadline = performance.now() + MAX_MS;
    while (loop.isRunning && cpuNs(pid) < enough) {
      if (performance.now() > deadline) {
        throw new Error('a minute was not enough to warm up');
      }
      await sleep(POLL_MS);
    }
  });
}
