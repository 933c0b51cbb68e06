import { readdirSync, readFileSync } from 'node:fs';

/**
 * CPU time a process has used since it started, all threads together, in nanoseconds.
 * `/proc/PID/schedstat` counts the first thread alone, so the threads are added up; `stat` (10 ms ticks) is the
 * fallback for kernels without scheduler statistics.
 */
export function cpuNs(pid: number): number {
  let total = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const statistics = readIfPresent(`/proc/${pid}/task/${task}/schedstat`);
    total += Number(statistics?.split(' ')[0] ?? 0);
  }
  return total > 0 ? total : cpuNsFromTicks(pid);
}

/** Time this process was ready to run but waited for its core, in nanoseconds. */
export function ownWaitNs(): number {
  return waitNs('self');
}

/** The same of the first thread of a process. */
export function waitNs(pid: number | 'self'): number {
  return Number(readIfPresent(`/proc/${pid}/schedstat`)?.split(' ')[1] ?? 0);
}

/** Resident memory of a process in bytes (`VmRSS`). */
export function rssBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(status);
  if (match === null) {
    throw new Error(`process ${pid} has no VmRSS line`);
  }
  return Number(match[1]) * 1024;
}

/** The processes whose parent is `pid`. */
export function childrenOf(pid: number): number[] {
  const children: number[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) {
      continue;
    }
    const stat = readIfPresent(`/proc/${entry}/stat`);
    // The command name may hold spaces and parentheses: fields are counted from its last parenthesis (proc(5)).
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(fields?.[1]) === pid) {
      children.push(Number(entry));
    }
  }
  return children;
}

function cpuNsFromTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  // USER_HZ is 100 on every Linux that Node runs on.
  return ticks * 1e7;
}

/** A thread or process may end between the listing and the read; that is an absence, not a fault. */
function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
