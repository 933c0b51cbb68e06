import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Logger } from '@openchambery/daemon';
import { PushStoreError } from '../binding/store-error.ts';

/** What a migration may use beside the database. */
export interface MigrationContext {
  /** Its real name, for messages. */
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One step from a schema version to the next; the first makes version 1. */
export type Migration = (database: DatabaseSync, context: MigrationContext) => void;

/** Marks a database as one of this relay: "OCPR". <https://sqlite.org/pragma.html#pragma_application_id> */
const APPLICATION_ID = 0x4f435052;

/**
 * Refuses a database of a newer relay or of another program, before anything is written to it.
 * @throws {PushStoreError}
 */
export function refuseForeign(
  database: DatabaseSync,
  { file, newestVersion }: { readonly file: string; readonly newestVersion: number },
): void {
  const version = readNumber(database, 'user_version');
  if (version > newestVersion) {
    throw new PushStoreError(
      `cannot use the token database ${file}: a newer relay has written it (schema version ${version}, ` +
        `this one knows up to ${newestVersion})`,
    );
  }
  const isOurs =
    version === 0 ? isUnversioned(database) : readNumber(database, 'application_id') === APPLICATION_ID;
  if (!isOurs) {
    throw new PushStoreError(`cannot use the token database ${file}: it belongs to another program`);
  }
}

/**
 * Brings a database to the version that the list of migrations leads to, each in a transaction of its own with the
 * version it makes: whatever interrupts it, the next start goes on from there.
 */
export function migrate(
  database: DatabaseSync,
  migrations: readonly Migration[],
  context: MigrationContext,
): void {
  for (let version = readNumber(database, 'user_version'); version < migrations.length; version++) {
    const migration = migrations[version];
    if (migration !== undefined) apply(database, context, { migration, version: version + 1 });
  }
}

function apply(
  database: DatabaseSync,
  context: MigrationContext,
  { migration, version }: { readonly migration: Migration; readonly version: number },
): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    migration(database, context);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** A database without a version is empty, or that of a relay from before there were versions. */
function isUnversioned(database: DatabaseSync): boolean {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return tables.length === 0 || tables.some(({ name }) => name === 'push_tokens');
}

function readNumber(database: DatabaseSync, pragma: 'user_version' | 'application_id'): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}
