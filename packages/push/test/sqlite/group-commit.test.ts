import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GroupCommit } from '../../src/sqlite/group-commit.ts';
import { UndoLog } from '../../src/sqlite/undo-log.ts';
import { temporaryFolder } from './support.ts';

function setUp() {
  const path = join(temporaryFolder(), 'db');
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
    CREATE TABLE part (item INTEGER REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED)`);
  const other = new DatabaseSync(path);
  onTestFinished(() => {
    database.close();
    other.close();
  });
  const undo = new UndoLog();
  const seen = { transactions: 0, faults: [] as unknown[] };
  const memory = new Set<number>();
  const commits = new GroupCommit({
    database,
    undo,
    beforeCommit: () => seen.transactions++,
    onFault: (error) => {
      seen.faults.push(error);
      return error;
    },
  });
  const insert = database.prepare('INSERT INTO item (id, text) VALUES (?, ?)');
  const add = (id: number, text: string | null = 'text') =>
    commits.write('power-cut', () => {
      memory.add(id);
      undo.push(() => memory.delete(id));
      insert.run(id, text);
      return id;
    });
  const stored = () =>
    other
      .prepare('SELECT id FROM item ORDER BY id')
      .all()
      .map(({ id }) => Number(id));
  return { database, commits, undo, seen, memory, add, stored };
}

describe('what is asked for in one turn', () => {
  it('is one transaction, and answered when others can see it', async () => {
    const { seen, add, stored, undo } = setUp();
    const answers = [1, 2, 3].map(async (id) => {
      await add(id);
      expect(stored()).toEqual([1, 2, 3]);
    });
    expect(stored()).toEqual([]);
    await Promise.all(answers);
    expect(seen.transactions).toBe(1);
    expect(undo.length).toBe(0);
  });

  it('is a transaction of its own in the next turn', async () => {
    const { seen, add } = setUp();
    await add(1);
    await add(2);
    expect(seen.transactions).toBe(2);
  });

  it('is split when it is more than 256', async () => {
    const { seen, add, stored } = setUp();
    await Promise.all(Array.from({ length: 257 }, (_, id) => add(id)));
    expect(seen.transactions).toBe(2);
    expect(stored()).toHaveLength(257);
  });

  it('loses only what fails by itself, in the file and in memory', async () => {
    const { seen, memory, add, stored, undo } = setUp();
    const results = await Promise.allSettled([add(1), add(2, null), add(1), add(3)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(stored()).toEqual([1, 3]);
    expect(memory).toEqual(new Set([3]));
    expect(seen).toMatchObject({ transactions: 1, faults: [expect.any(Error), expect.any(Error)] });
    expect(undo.length).toBe(0);
  });

  it('fails alone when it is the only one, bugs included', async () => {
    const { commits, memory, add, stored } = setUp();
    await expect(add(1, null)).rejects.toThrow('NOT NULL');
    const bug = new TypeError('a bug');
    const broken = commits.write('crash', () => {
      throw bug;
    });
    await expect(broken).rejects.toBe(bug);
    expect([...memory, ...stored()]).toEqual([]);
    expect(await add(1)).toBe(1);
  });

  it('is all refused and undone when the commit fails, and works again afterwards', async () => {
    const { database, commits, memory, add, stored } = setUp();
    const orphan = commits.write('crash', () => database.prepare('INSERT INTO part VALUES (99)').run());
    const results = await Promise.allSettled([add(1), orphan, add(2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect([...memory, ...stored()]).toEqual([]);
    expect(await Promise.all([add(1), add(2)])).toEqual([1, 2]);
    expect(stored()).toEqual([1, 2]);
  });

  it('is all refused and undone when the file is full, and works again when there is room', async () => {
    const { database, memory, add, stored } = setUp();
    await add(1);
    const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count);
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const results = await Promise.allSettled([add(2), add(3, 'x'.repeat(100_000)), add(4)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(stored()).toEqual([1]);
    expect(memory).toEqual(new Set([1]));
    database.exec('PRAGMA max_page_count = 1000000');
    await add(3, 'x'.repeat(100_000));
    expect(stored()).toEqual([1, 3]);
  });
});

describe('drain', () => {
  it('commits everything at once', async () => {
    const { commits, add, stored, seen } = setUp();
    const answers = Promise.all(Array.from({ length: 600 }, (_, id) => add(id)));
    commits.drain();
    expect(stored()).toHaveLength(600);
    await answers;
    await new Promise(setImmediate);
    expect(seen.transactions).toBe(3);
  });
});

describe('the disk is waited for', () => {
  it.each([
    ['power-cut', 2],
    ['crash', 1],
  ] as const)('as %s asks', async (durability, synchronous) => {
    const { database, commits } = setUp();
    const read = () => database.prepare('PRAGMA synchronous').get()?.synchronous;
    for (const first of ['crash', 'power-cut'] as const) {
      await commits.write(first, () => undefined);
      expect(await commits.write(durability, read)).toBe(synchronous);
    }
  });

  it('as the one that asks for most', async () => {
    const { database, commits } = setUp();
    const read = () => database.prepare('PRAGMA synchronous').get()?.synchronous;
    const answers = [
      commits.write('crash', read),
      commits.write('power-cut', () => 0),
      commits.write('crash', read),
    ];
    expect(await Promise.all(answers)).toEqual([2, 0, 2]);
  });
});
