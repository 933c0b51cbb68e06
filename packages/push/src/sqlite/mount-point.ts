import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whether something is mounted at the very path, as `docker run -v FILE:FILE` does with a single file. */
export function isMountPoint(path: string): boolean {
  const table = readMountTable();
  if (table !== undefined) return listsMountPoint(table, path);
  // A mount from the same file system goes unnoticed, but there is no better way everywhere.
  return statSync(path).dev !== statSync(dirname(path)).dev;
}

/**
 * Whether a table of mounts has one at that path: the fifth field of a line, with blanks and backslashes in octal
 * (proc_pid_mountinfo(5)). Device numbers alone would not do: a mount from the same file system has the same, and
 * within an overlay a file may have another than its folder.
 */
export function listsMountPoint(table: string, path: string): boolean {
  return table.split('\n').some((line) => unescapeOctal(line.split(' ')[4] ?? '') === path);
}

function readMountTable(): string | undefined {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    // No Linux, or no /proc.
    return undefined;
  }
}

function unescapeOctal(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
