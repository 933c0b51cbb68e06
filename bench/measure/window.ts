import { setTimeout as sleep } from 'node:timers/promises';
import { cpuNs } from './process-meter.ts';

const MAX_WINDOWS = 5;

/** What a process did during a window of time. */
export interface WindowReading {
  readonly cpuMicroseconds: number;
  readonly seconds: number;
  /** How far the counter given moved. */
  readonly count: number;
  /** Share of one core that the process used, 0 to 1 and beyond. */
  readonly relayBusy: number;
  /** Share of one core that this process, the generator, used. */
  readonly generatorBusy: number;
}

/** Lets `milliseconds` pass and reads the CPU time of `pid` and a counter at both ends. */
export async function measureWindow(
  pid: number,
  milliseconds: number,
  count: () => number,
): Promise<WindowReading> {
  const before = { time: performance.now(), cpu: cpuNs(pid), own: process.cpuUsage(), count: count() };
  let windows = 0;
  // On a machine with other work a whole window may pass without the generator getting its core: then it is extended.
  do {
    if (windows === MAX_WINDOWS) {
      throw new Error(`no message arrived within ${MAX_WINDOWS} windows of ${milliseconds} ms`);
    }
    windows += 1;
    await sleep(milliseconds);
  } while (count() === before.count);
  const after = {
    time: performance.now(),
    cpu: cpuNs(pid),
    own: process.cpuUsage(before.own),
    count: count(),
  };
  const seconds = (after.time - before.time) / 1000;
  const cpuMicroseconds = (after.cpu - before.cpu) / 1000;
  return {
    cpuMicroseconds,
    seconds,
    count: after.count - before.count,
    relayBusy: cpuMicroseconds / 1e6 / seconds,
    generatorBusy: (after.own.user + after.own.system) / 1e6 / seconds,
  };
}
