import { DatabaseSync } from 'node:sqlite';
import { type HostIdentity, makeDeviceToken, makeIdentity } from '@openchambery/testkit';

/** How many servers there are, and how many device tokens each has: 100,000 bindings together. */
const SERVERS = 1000;
const TOKENS_PER_SERVER = 100;

/** A server that signs, and the tokens bound to it, sorted as they are signed. */
export interface FleetServer {
  readonly identity: HostIdentity;
  readonly tokens: readonly string[];
}

/** New servers and tokens. */
export function makeFleet(): readonly FleetServer[] {
  return Array.from({ length: SERVERS }, () => ({
    identity: makeIdentity(),
    tokens: Array.from({ length: TOKENS_PER_SERVER }, () => makeDeviceToken()).sort(),
  }));
}

/**
 * Writes the bindings as the table that relays had before there were schema versions, which the push relay takes over
 * when it starts: a contract, unlike the tables of its present version.
 */
export function writeBindings(path: string, fleet: readonly FleetServer[]): void {
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE push_tokens (
    token TEXT PRIMARY KEY, server_id TEXT NOT NULL, platform TEXT NOT NULL, updated_at INTEGER NOT NULL)`);
  const insert = database.prepare(
    'INSERT INTO push_tokens (token, server_id, platform, updated_at) VALUES (?, ?, ?, ?)',
  );
  const now = Date.now();
  database.exec('BEGIN');
  for (const { identity, tokens } of fleet) {
    for (const token of tokens) {
      insert.run(token, identity.serverId, 'ios', now);
    }
  }
  database.exec('COMMIT');
  database.close();
}
