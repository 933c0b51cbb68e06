import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Logger } from '@openchambery/daemon';
import { ReplayTable } from '../replay/replay-table.ts';
import { AcceptanceBook } from './acceptance-book.ts';
import { BindingBook } from './binding-book.ts';
import { BindingRows } from './binding-rows.ts';
import { prepareDatabaseFile } from './database-file.ts';
import { takeExclusiveUse } from './exclusive-use.ts';
import { FaultLog } from './fault-log.ts';
import { GroupCommit } from './group-commit.ts';
import { MarkBook } from './mark-book.ts';
import { MarkRows } from './mark-rows.ts';
import { openDatabase } from './open-database.ts';
import { SqliteBindingStore, type SqliteBindingStoreParts } from './sqlite-binding-store.ts';
import { toStoreError } from './sqlite-fault.ts';
import { UndoLog } from './undo-log.ts';

/** What {@link openSqliteBindingStore} needs. */
export interface SqliteBindingStoreOptions {
  /** Of the database file; it and the folders above it are made unless they exist. */
  readonly path: string;
  readonly limits: SqliteBindingStoreLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The limits that a store keeps. */
export interface SqliteBindingStoreLimits {
  /** Most tokens bound. */
  readonly maxTokens: number;
  /** Most replay marks kept. */
  readonly maxReplayEntries: number;
  /** How long a replay mark is kept, in ms. */
  readonly replayMs: number;
}

/**
 * Opens the database, or makes it; takes over that of an older relay.
 * @throws {PushStoreError} naming the file and the reason: no permission, not a database, damaged, from a newer relay,
 *   in use by another process.
 */
export function openSqliteBindingStore(options: SqliteBindingStoreOptions): SqliteBindingStore {
  const { clock, logger } = options;
  const file = prepareDatabaseFile(options.path);
  const exclusiveUse = takeExclusiveUse(file);
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase({ file, clock, logger });
    return new SqliteBindingStore({ file, exclusiveUse, database, ...createParts(file, database, options) });
  } catch (error) {
    database?.close();
    exclusiveUse.release();
    throw toStoreError(file, error);
  }
}

type Books = Omit<SqliteBindingStoreParts, 'file' | 'exclusiveUse' | 'database'>;

function createParts(file: string, database: DatabaseSync, options: SqliteBindingStoreOptions): Books {
  const { clock, limits } = options;
  const faults = new FaultLog(file, options);
  const onFault = (error: unknown): unknown => {
    faults.report(error);
    return toStoreError(file, error);
  };

  const undo = new UndoLog();
  const table = new ReplayTable({ clock, replayMs: limits.replayMs, maxEntries: limits.maxReplayEntries });
  const marks = new MarkBook({ table, rows: new MarkRows(database), undo });
  database.exec('BEGIN IMMEDIATE');
  marks.load();
  database.exec('COMMIT');
  undo.clear();

  const acceptances = new AcceptanceBook(database, undo);
  const rows = new BindingRows(database);
  const bindings = new BindingBook({ rows, acceptances, undo, clock, maxTokens: limits.maxTokens });
  const commits = new GroupCommit({ database, undo, beforeCommit: () => marks.purge(), onFault });
  return { marks, acceptances, bindings, commits, onFault };
}
