import { DatabaseSync } from 'node:sqlite';
import { PushStoreError } from '../binding/store-error.ts';
import { createFile } from './database-file.ts';
import { isSqliteFault, primaryCode, SQLITE } from './sqlite-fault.ts';

/** The right to be the only relay on a database. */
export interface ExclusiveUse {
  /** Gives it up; harmless the second time. */
  release(): void;
}

/**
 * Takes the only right to a database: a transaction that is held open on an empty database beside it. The kernel ends
 * it with the process, however that ends. The database itself stays open to other tools.
 * @param file as `prepareDatabaseFile` gives it.
 * @throws {PushStoreError} when another process has it.
 */
export function takeExclusiveUse(file: string): ExclusiveUse {
  const lockFile = `${file}.lock`;
  let lock: DatabaseSync | undefined;
  try {
    createFile(lockFile);
    lock = new DatabaseSync(lockFile, { timeout: 0 });
    // In memory, so that a full disk does not matter.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    throw toLockError(file, error);
  }
  const held = lock;
  return {
    release: () => {
      // The file stays: to delete it would be to race with the next process.
      if (held.isOpen) held.close();
    },
  };
}

function toLockError(file: string, error: unknown): PushStoreError {
  const busy = isSqliteFault(error) && primaryCode(error) === SQLITE.BUSY;
  const reason = busy
    ? 'another process is using it'
    : `cannot lock ${file}.lock: ${error instanceof Error ? error.message : String(error)}`;
  return new PushStoreError(`cannot use the token database ${file}: ${reason}`, { cause: error });
}
