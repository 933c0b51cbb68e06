import { DatabaseSync } from 'node:sqlite';
import { silentLogger } from '@openchambery/daemon';
import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { type Migration, migrate, refuseForeign } from '../../src/sqlite/migrate.ts';

const CONTEXT = { file: '/the/file', clock: new FakeClock(), logger: silentLogger };

function versionOf(database: DatabaseSync): unknown {
  return database.prepare('PRAGMA user_version').get()?.user_version;
}

function creating(table: string): Migration {
  return (database) => database.exec(`CREATE TABLE ${table} (x)`);
}

describe('migrate', () => {
  it('runs what is missing, in order, once', () => {
    const database = new DatabaseSync(':memory:');
    const ran: number[] = [];
    const steps = [1, 2, 3].map((version) => () => void ran.push(version));
    migrate(database, steps.slice(0, 1), CONTEXT);
    expect([ran, versionOf(database)]).toEqual([[1], 1]);
    migrate(database, steps, CONTEXT);
    migrate(database, steps, CONTEXT);
    expect([ran, versionOf(database)]).toEqual([[1, 2, 3], 3]);
  });

  it('leaves the last whole version when a step fails', () => {
    const database = new DatabaseSync(':memory:');
    const failing: Migration = (db, context) => {
      creating('half')(db, context);
      throw new Error('no');
    };
    expect(() => migrate(database, [creating('whole'), failing], CONTEXT)).toThrow('no');
    expect(versionOf(database)).toBe(1);
    expect(database.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'whole' }]);
    migrate(database, [creating('whole'), creating('half')], CONTEXT);
    expect(versionOf(database)).toBe(2);
  });
});

describe('refuseForeign', () => {
  const refuse = (database: DatabaseSync, newestVersion: number) => () =>
    refuseForeign(database, { file: '/the/file', newestVersion });

  it('takes a database of this version and not of the next', () => {
    const database = new DatabaseSync(':memory:');
    migrate(database, [creating('a'), creating('b')], CONTEXT);
    expect(refuse(database, 2)).not.toThrow();
    expect(refuse(database, 1)).toThrow(/the[/]file.*newer relay.*schema version 2.*up to 1/);
  });

  it.each(['CREATE TABLE notes (x)', 'PRAGMA user_version = 1'])(
    'refuses that of another program: %s',
    (sql) => {
      const database = new DatabaseSync(':memory:');
      database.exec(sql);
      expect(refuse(database, 1)).toThrow(/the[/]file.*another program/);
    },
  );
});
