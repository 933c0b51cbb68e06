import { deepEqual, equal } from 'node:assert/strict';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger, systemClock } from '@openchambery/daemon';
import { describe, expect, it } from 'vitest';
import { openSqliteBindingStore } from '../../src/sqlite/open-sqlite-binding-store.ts';
import { StoreProcess } from './run-store-process.ts';
import { serverId, temporaryFolder, token } from './support.ts';

const SEED = Number(process.env.KILL_SEED ?? 20_251_129);
const KILLS = 60;
/** Databases at a time. */
const LANES = 2;
const MIGRATION_KILLS = 12;
const DEPLOYED_ROWS = 30_000;

/** mulberry32: numbers in [0, 1) that a seed tells. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function integrityOf(database: DatabaseSync): unknown {
  return database.prepare('PRAGMA integrity_check').get()?.integrity_check;
}

function inspect<T>(path: string, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path);
  try {
    return look(database);
  } finally {
    database.close();
  }
}

/** What writers were told, over all their lives. */
class Acknowledged {
  readonly bound = new Set<string>();
  readonly gone = new Set<string>();
  readonly marks = new Set<string>();

  note(lines: readonly string[]): void {
    for (const [event, subject = '', ...rest] of lines.map((line) => line.split(' '))) {
      if (event === 'registered') {
        this.bound.add(subject);
        this.marks.add(rest[0] ?? '');
        equal(rest[1], 'bound');
      } else if (event === 'claimed') {
        this.marks.add(subject);
        equal(rest[0], 'fresh');
      } else if (event === 'unregistering') {
        // From here on it may be gone, whether that was acknowledged or not.
        this.bound.delete(subject);
      } else if (event === 'unregistered' && rest[0] === 'removed') {
        this.gone.add(subject);
      }
    }
  }

  check(path: string): void {
    inspect(path, (database) => {
      equal(integrityOf(database), 'ok');
      const tokens = new Set(
        database
          .prepare('SELECT token FROM bindings')
          .all()
          .map((row) => String(row.token)),
      );
      const marks = new Set(
        database
          .prepare('SELECT lower(hex(text_hash)) AS hash FROM replay_marks')
          .all()
          .map((row) => String(row.hash)),
      );
      deepEqual(
        [...this.bound].filter((bound) => !tokens.has(bound)),
        [],
      );
      deepEqual(
        [...this.gone].filter((gone) => tokens.has(gone)),
        [],
      );
      deepEqual(
        [...this.marks].filter((mark) => !marks.has(mark)),
        [],
      );
    });
  }
}

/** Starts and kills writers on one database, one after the other. */
async function killWriters(count: number, random: () => number): Promise<Acknowledged> {
  const path = join(temporaryFolder(), 'push.sqlite');
  const acknowledged = new Acknowledged();
  for (let i = 0; i < count; i++) {
    const writer = new StoreProcess(path, { mode: 'write', seed: String(i) });
    // One in six is killed while it opens, the others while they write.
    await writer.line(i % 6 === 5 ? 'opening' : 'registered');
    await delay(random() * 30);
    await writer.kill();
    acknowledged.note(writer.lines);
    acknowledged.check(path);
    const limits = { maxTokens: 1_000_000, maxReplayEntries: 1_000_000, replayMs: 3_600_000 };
    const store = openSqliteBindingStore({ path, limits, clock: systemClock, logger: silentLogger });
    expect(store.counts().bindingCount).toBeGreaterThanOrEqual(acknowledged.bound.size);
    expect(store.counts().replayMarkCount).toBeGreaterThanOrEqual(acknowledged.marks.size);
    await store.close();
  }
  return acknowledged;
}

describe('kill -9', () => {
  it(`loses nothing acknowledged, at ${KILLS} random moments (seed ${SEED})`, {
    timeout: 300_000,
  }, async () => {
    const count = KILLS / LANES;
    const lanes = Array.from({ length: LANES }, (_, i) => killWriters(count, createRandom(SEED + i)));
    for (const { bound, gone } of await Promise.all(lanes)) {
      expect(bound.size).toBeGreaterThan(count);
      expect(gone.size).toBeGreaterThan(count / 2);
    }
  });

  it('in the middle of a migration leaves the old database or the new one', {
    timeout: 300_000,
  }, async () => {
    const random = createRandom(SEED);
    const folder = temporaryFolder();
    const deployed = join(folder, 'deployed.sqlite');
    inspect(deployed, (database) => {
      database.exec(
        'CREATE TABLE push_tokens (token TEXT PRIMARY KEY, server_id TEXT, platform TEXT, updated_at)',
      );
      const insert = database.prepare("INSERT INTO push_tokens VALUES (?, ?, 'ios', ?)");
      database.exec('BEGIN');
      for (let i = 0; i < DEPLOYED_ROWS; i++) insert.run(token(i), serverId('A'), i);
      database.exec('COMMIT');
    });
    const path = join(folder, 'push.sqlite');

    const migrate = async (afterMs: number | undefined): Promise<'old' | 'new'> => {
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true });
      copyFileSync(deployed, path);
      const process = new StoreProcess(path, { mode: 'open' });
      await process.line('opening');
      if (afterMs === undefined) expect(await process.line('open ')).toBe(`open ${DEPLOYED_ROWS}`);
      else await delay(afterMs);
      await process.kill();
      return inspect(path, (database) => {
        expect(integrityOf(database)).toBe('ok');
        const isNew = database.prepare('PRAGMA user_version').get()?.user_version === 1;
        const tables = database
          .prepare("SELECT name FROM sqlite_schema WHERE name IN ('bindings', 'push_tokens')")
          .all();
        expect(tables).toEqual([{ name: isNew ? 'bindings' : 'push_tokens' }]);
        const count = database
          .prepare(`SELECT count(*) AS count FROM ${isNew ? 'bindings' : 'push_tokens'}`)
          .get();
        expect(count).toEqual({ count: DEPLOYED_ROWS });
        return isNew ? 'new' : 'old';
      });
    };

    const startedAt = performance.now();
    expect(await migrate(undefined)).toBe('new');
    const wholeMs = performance.now() - startedAt;
    const outcomes: string[] = [];
    for (let i = 0; i < MIGRATION_KILLS; i++) {
      outcomes.push(await migrate(random() * wholeMs * 0.8));
      const next = new StoreProcess(path, { mode: 'open' });
      expect(await next.line('open ')).toBe(`open ${DEPLOYED_ROWS}`);
      await next.close();
      expect(existsSync(`${path}-wal`)).toBe(false);
    }
    expect(await migrate(0)).toBe('old');
  });
});
