import type { DatabaseSync } from 'node:sqlite';
import type { Migration } from './migrate.ts';
import { takeOverTokens } from './take-over-tokens.ts';

// Tokens are long and looked up by nothing else, so the table is its own index. All times are ms since the epoch.
const BINDINGS = `
  CREATE TABLE bindings (
    token TEXT NOT NULL PRIMARY KEY,
    server_id TEXT NOT NULL,
    platform TEXT NOT NULL CHECK (platform IN ('ios', 'android')),
    kind TEXT CHECK (kind IN ('device', 'liveactivity')),
    environment TEXT CHECK (environment IN ('production', 'sandbox')),
    registered_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    refusal_count INTEGER NOT NULL DEFAULT 0,
    first_refusal_at INTEGER,
    CHECK ((refusal_count = 0) = (first_refusal_at IS NULL))
  ) STRICT, WITHOUT ROWID`;

const ACCEPTANCES = `
  CREATE TABLE acceptances (
    environment TEXT NOT NULL CHECK (environment IN ('production', 'sandbox')),
    topic TEXT NOT NULL,
    accepted_at INTEGER NOT NULL,
    PRIMARY KEY (environment, topic)
  ) STRICT, WITHOUT ROWID`;

// That a text is there once is the affair of the table in memory. Rows come and go in the order of seq, so that adding
// one touches the last page, and forgetting many is one range.
const REPLAY_MARKS = `
  CREATE TABLE replay_marks (
    seq INTEGER PRIMARY KEY,
    server_id TEXT NOT NULL,
    text_hash BLOB NOT NULL CHECK (length(text_hash) = 32),
    route TEXT NOT NULL,
    ts INTEGER NOT NULL,
    ip TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT`;

const REPLAY_FLOORS = `
  CREATE TABLE replay_floors (
    server_id TEXT NOT NULL PRIMARY KEY,
    ts INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX replay_floors_by_expiry ON replay_floors (expires_at)`;

function createTables(database: DatabaseSync): void {
  for (const table of [BINDINGS, ACCEPTANCES, REPLAY_MARKS, REPLAY_FLOORS]) database.exec(table);
}

/** All versions of the schema, in order; a released one never changes. */
export const MIGRATIONS: readonly Migration[] = [
  (database, context) => {
    createTables(database);
    takeOverTokens(database, context);
  },
];
