import { DatabaseSync } from 'node:sqlite';
import type { Logger } from '@openchambery/daemon';
import { silentLogger } from '@openchambery/daemon';
import { describe, expect, it } from 'vitest';
import { PushStoreError } from '../../src/binding/store-error.ts';
import { readTime } from '../../src/sqlite/read-time.ts';
import { StoreRig, serverId, token } from './support.ts';

type Row = readonly [token: unknown, serverId: unknown, platform: unknown, updatedAt: unknown];

const TABLE = 'CREATE TABLE push_tokens (token TEXT PRIMARY KEY, server_id TEXT, platform TEXT, updated_at)';

function deploy(rig: StoreRig, rows: readonly Row[], table = TABLE): void {
  const database = new DatabaseSync(rig.path);
  database.exec(table);
  const insert = database.prepare('INSERT INTO push_tokens VALUES (?, ?, ?, ?)');
  for (const row of rows) insert.run(...(row as [string, string, string, number]));
  database.close();
}

describe('the database of a deployed relay', () => {
  it('is taken over in place', async () => {
    const rig = new StoreRig();
    const updatedAtMs = rig.clock.epochMs() - 5000;
    deploy(rig, [
      [token('a'), serverId('A'), 'ios', updatedAtMs],
      [token('b').toUpperCase(), serverId('B'), 'ios', updatedAtMs],
    ]);
    expect(rig.store.counts().bindingCount).toBe(2);
    expect((await rig.store.find(serverId('B'), [token('b')])).get(token('b'))).toEqual({
      token: token('b'),
      serverId: serverId('B'),
      platform: 'ios',
      kind: undefined,
      environment: undefined,
      registeredAtMs: updatedAtMs,
      updatedAtMs,
      refusals: undefined,
    });
    expect(rig.query('PRAGMA user_version')).toEqual([{ user_version: 1 }]);
    expect(rig.query("SELECT name FROM sqlite_schema WHERE name = 'push_tokens'")).toEqual([]);
    expect((await rig.reopen()).counts().bindingCount).toBe(2);
  });

  it('keeps of tokens that differ by case the one written last, whatever the order of rows', () => {
    const newest = [token('a').toUpperCase(), serverId('new'), 'ios', 3000] as const;
    const older = [token('a'), serverId('old'), 'ios', 2000] as const;
    for (const rows of [
      [newest, older],
      [older, newest],
    ]) {
      const rig = new StoreRig();
      deploy(rig, rows);
      expect(rig.store.counts().bindingCount).toBe(1);
      expect(rig.query('SELECT token, server_id, updated_at FROM bindings')).toEqual([
        { token: token('a'), server_id: serverId('new'), updated_at: 3_000_000 },
      ]);
    }
  });

  it('dates nothing ahead of now', () => {
    const rig = new StoreRig();
    deploy(rig, [[token('a'), serverId('A'), 'ios', rig.clock.epochMs() * 1000]]);
    rig.open();
    expect(rig.query('SELECT registered_at FROM bindings')).toEqual([{ registered_at: rig.clock.epochMs() }]);
  });

  it('may have a time too large for a number', () => {
    const rig = new StoreRig();
    deploy(rig, [[token('a'), serverId('A'), 'ios', 2n ** 62n]]);
    expect(rig.store.counts().bindingCount).toBe(1);
  });

  it('leaves rows behind that no relay could use, and says how many but not which', () => {
    const lines: string[] = [];
    const note = (fields: object, message: string): void =>
      void lines.push(JSON.stringify({ ...fields, message }));
    const logger: Logger = { ...silentLogger, info: note, warn: note };
    const rig = new StoreRig({ logger });
    deploy(rig, [
      [token('a'), serverId('A'), 'ios', 1],
      [token('short').slice(2), serverId('A'), 'ios', 1],
      ['z'.repeat(64), serverId('A'), 'ios', 1],
      [token('b'), 'not an id', 'ios', 1],
      [token('c'), serverId('A'), 'windows', 1],
      [null, null, null, null],
    ]);
    expect(rig.store.counts().bindingCount).toBe(1);
    expect(lines).toEqual([expect.stringContaining('"rowCount":6,"unusableCount":5')]);
    expect(lines.join('')).not.toContain(token('a'));
  });

  it('may have more tokens than the limit: they stay, new ones wait', async () => {
    const rig = new StoreRig({ limits: { maxTokens: 1 } });
    deploy(
      rig,
      ['a', 'b'].map((name) => [token(name), serverId('A'), 'ios', 1]),
    );
    expect(rig.store.counts().bindingCount).toBe(2);
    expect((await rig.store.register(rig.registration('a', 'A'))).kind).toBe('bound');
    expect((await rig.store.register(rig.registration('c', 'A'))).kind).toBe('token-limit');
  });

  it('is left as it was when its table has another shape', () => {
    const rig = new StoreRig();
    deploy(rig, [], 'CREATE TABLE push_tokens (token TEXT, server_id TEXT, system TEXT, created TEXT)');
    expect(() => rig.open()).toThrow(PushStoreError);
    expect(() => rig.open()).toThrow(/push[.]sqlite.*push_tokens has no column platform, updated_at/);
    expect(rig.query("SELECT name FROM sqlite_schema WHERE type = 'table'")).toEqual([
      { name: 'push_tokens' },
    ]);
  });
});

describe('readTime', () => {
  const ms = Date.UTC(2024, 2, 1, 12, 30, 15);
  it.each<[unknown, number]>([
    [ms, ms],
    [BigInt(ms), ms],
    [ms / 1000, ms],
    [ms / 1000 + 0.5, ms + 500],
    [String(ms), ms],
    [String(ms / 1000), ms],
    ['2024-03-01T12:30:15Z', ms],
    ['2024-03-01T12:30:15.250Z', ms + 250],
    ['2024-03-01T14:30:15+02:00', ms],
    ['2024-03-01 12:30:15', ms],
    ['2024-03-01T12:30:15', ms],
    ['2024-03-01', Date.UTC(2024, 2, 1)],
    [99_999_999_999, 99_999_999_999_000],
    [100_000_000_000, 100_000_000_000],
    [0, 0],
    [-1, 0],
    ['yesterday', 0],
    ['', 0],
    [null, 0],
    [undefined, 0],
  ])('reads %s', (value, expected) => {
    expect(readTime(value as string)).toBe(expected);
  });
});
