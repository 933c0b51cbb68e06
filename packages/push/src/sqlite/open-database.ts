import { DatabaseSync } from 'node:sqlite';
import { PushStoreError } from '../binding/store-error.ts';
import { type MigrationContext, migrate, refuseForeign } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { isSqliteFault, primaryCode, SQLITE, toStoreError } from './sqlite-fault.ts';

/**
 * How long to wait, in ms, while another tool writes: long enough for one row, and short because all of this happens in
 * the thread that also carries everything else.
 */
const BUSY_TIMEOUT_MS = 250;

/** Most of 100000 bindings stay in memory, in KiB. */
const CACHE_KIB = 16 * 1024;

/** What the write-ahead log shrinks to once a long reader has let it grow, in bytes. */
const JOURNAL_BYTES = 16 * 1024 * 1024;

/**
 * Opens the database, checks that it is whole and brings it to the present schema.
 * @param context `file` as `prepareDatabaseFile` gives it; the caller has its exclusive use.
 * @throws {PushStoreError} naming the file and the reason.
 */
export function openDatabase(context: MigrationContext): DatabaseSync {
  const { file } = context;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    requireWhole(database, file);
    refuseForeign(database, { file, newestVersion: MIGRATIONS.length });
    writeAhead(database, file);
    migrate(database, MIGRATIONS, context);
    return database;
  } catch (error) {
    database?.close();
    throw toStoreError(file, error);
  }
}

/** Readers do not stop the writer, nor it them, and a commit is one write. <https://sqlite.org/wal.html> */
function writeAhead(database: DatabaseSync, file: string): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
  if (mode !== 'wal') {
    throw new PushStoreError(`cannot use the token database ${file}: its folder allows no write-ahead log`);
  }
  database.exec(`PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}`);
  database.exec(`PRAGMA journal_size_limit = ${JOURNAL_BYTES}`);
}

/** The check without the indices, which takes a tenth of the time, and up to the first fault. */
function requireWhole(database: DatabaseSync, file: string): void {
  try {
    const verdict = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (verdict === 'ok') return;
    throw new PushStoreError(`cannot use the token database ${file}: it is damaged: ${String(verdict)}`);
  } catch (error) {
    if (!isSqliteFault(error) || primaryCode(error) !== SQLITE.CORRUPT) throw error;
    throw new PushStoreError(`cannot use the token database ${file}: it is damaged: ${error.message}`, {
      cause: error,
    });
  }
}
