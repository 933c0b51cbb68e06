import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { PushStoreError } from '../../src/binding/store-error.ts';
import { StoreProcess } from './run-store-process.ts';
import { StoreRig, temporaryFolder } from './support.ts';

const isRoot = process.getuid?.() === 0;

function refusal(path: string): string {
  try {
    new StoreRig({ path }).open();
  } catch (error) {
    expect(error).toBeInstanceOf(PushStoreError);
    return error instanceof Error ? error.message : '';
  }
  return 'opened';
}

/** What somebody without rights to the folder hears. */
async function refusalOfOthers(path: string): Promise<string> {
  return new StoreProcess(path, { mode: 'open', ...(isRoot ? { uid: 65_534 } : {}) }).line('error');
}

/** Fills a database with enough rows to have pages of its own. */
async function filled(): Promise<StoreRig> {
  const rig = new StoreRig();
  await Promise.all(Array.from({ length: 500 }, (_, i) => rig.store.register(rig.registration(i))));
  await rig.store.close();
  return rig;
}

describe('a new database', () => {
  it('is made with the folders above it, for its owner alone', async () => {
    const path = join(temporaryFolder(), 'a', 'b', 'push.sqlite');
    const rig = new StoreRig({ path });
    await rig.store.register(rig.registration('t'));
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(rig.query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    const tables = rig.query(
      "SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    );
    expect(tables).toHaveLength(4);
    expect(tables.every(({ strict }) => strict === 1)).toBe(true);
  });

  it('is made where a link points to', async () => {
    const folder = temporaryFolder();
    symlinkSync('real/push.sqlite', join(folder, 'link'));
    const rig = new StoreRig({ path: join(folder, 'link') });
    await rig.store.register(rig.registration('t'));
    expect(statSync(join(folder, 'real', 'push.sqlite')).isFile()).toBe(true);
  });

  it('may be an empty file', () => {
    const path = join(temporaryFolder(), 'empty');
    writeFileSync(path, '');
    expect(new StoreRig({ path }).open().counts().bindingCount).toBe(0);
  });
});

describe('an existing database', () => {
  it('keeps the rights that its owner gave it', async () => {
    const rig = await filled();
    chmodSync(rig.path, 0o640);
    rig.open();
    expect(statSync(rig.path).mode & 0o777).toBe(0o640);
  });
});

describe('refused, naming the file and the reason, is', () => {
  it('a directory', () => {
    const path = temporaryFolder();
    expect(refusal(path)).toBe(`cannot use the token database ${path}: it is a directory`);
  });

  it('what is no file', () => {
    expect(refusal('/dev/null')).toBe('cannot use the token database /dev/null: it is not a regular file');
  });

  it('a path through a file', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const path = join(file, 'push.sqlite');
    expect(refusal(path)).toBe(`cannot use the token database ${path}: a part of its path is not a folder`);
  });

  it('a circle of links', () => {
    const path = join(temporaryFolder(), 'circle');
    symlinkSync('circle', path);
    expect(refusal(path)).toBe(`cannot use the token database ${path}: its symbolic links lead in a circle`);
  });

  it.each([
    ['text', 'not a database at all, but a long enough text to be taken for one\n'.repeat(100)],
    ['a short text', 'x'],
  ])('a file that is not a database: %s', (_, text) => {
    const path = join(temporaryFolder(), 'notes.txt');
    writeFileSync(path, text);
    expect(refusal(path)).toBe(`cannot use the token database ${path}: it is not an SQLite database`);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('a database of a newer relay, which stays as it is', async () => {
    const rig = await filled();
    rig.query('PRAGMA user_version = 2');
    expect(refusal(rig.path)).toMatch(/push[.]sqlite: a newer relay has written it [(]schema version 2/);
    rig.query('PRAGMA user_version = 1');
    expect(rig.open().counts().bindingCount).toBe(500);
  });

  it('a database of another program', () => {
    const path = join(temporaryFolder(), 'other.sqlite');
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE notes (text TEXT)');
    other.close();
    expect(refusal(path)).toBe(`cannot use the token database ${path}: it belongs to another program`);
  });

  it.each([
    ['garbage in its pages', (bytes: Buffer) => bytes.fill(0xa5, 8192, 60_000)],
    ['the end cut off', (bytes: Buffer) => bytes.subarray(0, 40_960)],
  ])('a damaged database: %s', async (_, damage) => {
    const rig = await filled();
    writeFileSync(rig.path, damage(readFileSync(rig.path)));
    expect(refusal(rig.path)).toMatch(/push[.]sqlite: it is damaged: /);
  });

  it('a file without permission', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'push.sqlite');
    writeFileSync(path, '');
    chmodSync(folder, 0o777);
    chmodSync(path, 0o000);
    expect(await refusalOfOthers(path)).toContain(`cannot use the token database ${path}: permission denied`);
    chmodSync(path, 0o444);
    expect(await refusalOfOthers(path)).toContain(`cannot use the token database ${path}: permission denied`);
  });

  it('a folder that cannot be written to', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'push.sqlite');
    chmodSync(folder, 0o555);
    expect(await refusalOfOthers(path)).toContain(`cannot use the token database ${path}: permission denied`);
    chmodSync(folder, 0o755);
    writeFileSync(path, '');
    chmodSync(path, 0o666);
    chmodSync(folder, 0o555);
    const reason = 'cannot write to its folder: permission denied';
    expect(await refusalOfOthers(path)).toContain(`cannot use the token database ${path}: ${reason}`);
  });

  it('a folder that cannot be made', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o555);
    const path = join(folder, 'sub', 'push.sqlite');
    expect(await refusalOfOthers(path)).toContain(`cannot use the token database ${path}: permission denied`);
  });
});

describe('a refusal', () => {
  it('lets go of the lock, so that the next start can succeed', async () => {
    const rig = await filled();
    rig.query('PRAGMA user_version = 2');
    for (let i = 0; i < 2; i++) expect(refusal(rig.path)).toContain('newer relay');
    rig.query('PRAGMA user_version = 1');
    expect(rig.open().counts().bindingCount).toBe(500);
  });
});
