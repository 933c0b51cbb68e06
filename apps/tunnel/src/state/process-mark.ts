import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from '../cli/describe-value.ts';

/** Tells one process from every other, also from a later one with its number. */
export interface ProcessMark {
  readonly pid: number;
  /** A container has its own numbers, and a name of its own. */
  readonly host: string;
  /** When it began, in whatever unit the system has; empty where the system does not tell. */
  readonly began: string;
}

/** The process we are. */
export function ownMark(): ProcessMark {
  return { pid: process.pid, host: hostname(), began: beginningOf(process.pid) ?? '' };
}

/** Whether a process is surely over. One on another machine or in another container may well live. */
export function isOver({ pid, host, began }: ProcessMark): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and is somebody else's.
    if (codeOf(error) === 'ESRCH') return true;
  }
  const now = beginningOf(pid);
  return now !== undefined && began !== '' && now !== began;
}

/** The boot and the start of a process within it (Linux, proc(5)). */
function beginningOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may hold anything; starttime is the 20th field after it.
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return start === undefined ? undefined : `${boot}/${start}`;
  } catch {
    // Other systems have no /proc: there, a number is all there is to go by.
    return undefined;
  }
}
