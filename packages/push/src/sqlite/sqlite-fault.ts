import { PushStoreError } from '../binding/store-error.ts';

/** What node:sqlite throws when SQLite itself fails. */
export interface SqliteFault extends Error {
  /** Extended result code of SQLite. */
  readonly errcode: number;
}

/** Primary result codes, <https://sqlite.org/rescode.html>. */
export const SQLITE = {
  PERM: 3,
  BUSY: 5,
  NOMEM: 7,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  TOOBIG: 18,
  CONSTRAINT: 19,
  MISMATCH: 20,
  MISUSE: 21,
  RANGE: 25,
  NOTADB: 26,
} as const;

const REASONS: ReadonlyMap<number, string> = new Map([
  [SQLITE.PERM, 'permission denied'],
  [SQLITE.BUSY, 'another process is writing to it'],
  [SQLITE.NOMEM, 'out of memory'],
  [SQLITE.READONLY, 'it is read-only'],
  [SQLITE.IOERR, 'the disk reports an error'],
  [SQLITE.CORRUPT, 'it is damaged'],
  [SQLITE.FULL, 'the disk is full'],
  [SQLITE.CANTOPEN, 'it cannot be opened'],
  [SQLITE.NOTADB, 'it is not an SQLite database'],
]);

/** Faults of one statement that say nothing about the next. */
const STATEMENT_FAULTS: ReadonlySet<number> = new Set([
  SQLITE.TOOBIG,
  SQLITE.CONSTRAINT,
  SQLITE.MISMATCH,
  SQLITE.MISUSE,
  SQLITE.RANGE,
]);

export function isSqliteFault(error: unknown): error is SqliteFault {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

/** The primary result code, without what the extended one adds. */
export function primaryCode(fault: SqliteFault): number {
  return fault.errcode & 0xff;
}

/** Whether the next statement will most likely fail as well. */
export function isStoreWide(error: unknown): boolean {
  return isSqliteFault(error) && !STATEMENT_FAULTS.has(primaryCode(error));
}

/** The name of a fault for logs: `SQLITE_FULL`; other codes by number. */
export function faultName(fault: SqliteFault): string {
  const code = primaryCode(fault);
  const known = Object.entries(SQLITE).find(([, value]) => value === code);
  return `SQLITE_${known?.[0] ?? code}`;
}

/** Says what is wrong with a file; anything but a fault of SQLite is a bug and comes back as it is. */
export function toStoreError(file: string, error: unknown): unknown {
  if (!isSqliteFault(error)) return error;
  const reason = REASONS.get(primaryCode(error)) ?? error.message;
  return new PushStoreError(`cannot use the token database ${file}: ${reason}`, { cause: error });
}
