import type { DatabaseSync } from 'node:sqlite';
import { PushStoreError } from '../binding/store-error.ts';
import type { MigrationContext } from './migrate.ts';
import { readTime } from './read-time.ts';

const COLUMNS = ['token', 'server_id', 'platform', 'updated_at'] as const;

const SERVER_ID = /^[A-Za-z0-9_-]{43}$/;
const PLATFORM = /^(?:ios|android)$/;
/** An even number of hexadecimal digits, 64 to 512. */
const TOKEN = /^(?:[0-9a-f]{2}){32,256}$/;

// Of tokens that differ by case alone the one written last wins; of equals, that of the later row.
const TAKE = `
  INSERT INTO bindings (token, server_id, platform, registered_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)
  ON CONFLICT (token) DO UPDATE SET
    server_id = excluded.server_id, platform = excluded.platform,
    registered_at = excluded.registered_at, updated_at = excluded.updated_at
  WHERE excluded.updated_at >= bindings.updated_at`;

/**
 * Moves the tokens of a relay from before there were schema versions, if the database is of one. Rows that no such
 * relay could have used are counted and left behind.
 */
export function takeOverTokens(database: DatabaseSync, { file, clock, logger }: MigrationContext): void {
  const columns = database.prepare('PRAGMA table_info(push_tokens)').all();
  if (columns.length === 0) return;
  const missing = COLUMNS.filter((wanted) => !columns.some(({ name }) => name === wanted));
  if (missing.length > 0) {
    const reason = `its table push_tokens has no column ${missing.join(', ')}`;
    throw new PushStoreError(`cannot use the token database ${file}: ${reason}`);
  }

  const take = database.prepare(TAKE);
  const now = clock.epochMs();
  let rowCount = 0;
  let unusableCount = 0;
  const rows = database.prepare(`SELECT ${COLUMNS.join(', ')} FROM push_tokens`);
  // Whatever units its times have, they can be read.
  rows.setReadBigInts(true);
  for (const row of rows.iterate()) {
    rowCount++;
    const token = String(row.token).toLowerCase();
    const serverId = String(row.server_id);
    const platform = String(row.platform).toLowerCase();
    if (!TOKEN.test(token) || !SERVER_ID.test(serverId) || !PLATFORM.test(platform)) unusableCount++;
    // From a clock that was ahead: as of now, or it would outlive every report that the token is dead.
    else take.run(token, serverId, platform, Math.min(readTime(row.updated_at), now));
  }
  database.exec('DROP TABLE push_tokens');
  const report = { rowCount, unusableCount };
  if (unusableCount > 0)
    logger.warn(report, 'Took over the tokens of an older relay, but not those it could not use');
  else logger.info(report, 'Took over the tokens of an older relay');
}
