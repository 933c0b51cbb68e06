import { copyFileSync, linkSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { PushStoreError } from '../../src/binding/store-error.ts';
import { StoreProcess } from './run-store-process.ts';
import { StoreRig, temporaryFolder } from './support.ts';

describe('a second process', () => {
  it('is refused while the first runs, and told which file and why', async () => {
    const rig = new StoreRig();
    const first = new StoreProcess(rig.path, { mode: 'open' });
    expect(await first.line('open ')).toBe('open 0');
    const second = new StoreProcess(rig.path, { mode: 'open' });
    expect(await second.line('error')).toBe(
      `error ERR_PUSH_STORE cannot use the token database ${rig.path}: another process is using it`,
    );
    expect(() => rig.open()).toThrow(PushStoreError);
    await first.close();
    expect(await new StoreProcess(rig.path, { mode: 'open' }).line('open ')).toBe('open 0');
  });

  it('may follow at once after the first was killed', async () => {
    const rig = new StoreRig();
    for (let i = 0; i < 3; i++) {
      const holder = new StoreProcess(rig.path, { mode: 'open' });
      expect(await holder.line('open ')).toBe('open 0');
      await holder.kill();
    }
    expect(rig.open().counts().bindingCount).toBe(0);
  });

  it('leaves the first unharmed', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('a'));
    for (let i = 0; i < 2; i++) {
      expect(await new StoreProcess(rig.path, { mode: 'open' }).line('error')).toContain('another process');
      expect((await rig.store.register(rig.registration(i))).kind).toBe('bound');
    }
  });
});

describe('a second store in the same process', () => {
  it('is refused until the first is closed', async () => {
    const rig = new StoreRig();
    const first = rig.open();
    expect(() => new StoreRig({ path: rig.path }).open()).toThrow(
      /push[.]sqlite: another process is using it/,
    );
    // To have tried does not let go of the lock.
    const outsider = new StoreProcess(rig.path, { mode: 'open' });
    expect(await outsider.line('error')).toContain('another process is using it');
    await first.close();
    expect(new StoreRig({ path: rig.path }).open().counts().bindingCount).toBe(0);
  });

  it.each(['link to the file', 'link to the folder', 'link to a link', 'detour'])(
    'is found out: %s',
    async (way) => {
      const rig = new StoreRig();
      const folder = temporaryFolder();
      const link = join(folder, 'link');
      const paths: Record<string, () => string> = {
        'link to the file': () => (symlinkSync(rig.path, link), link),
        'link to the folder': () => (symlinkSync(dirname(rig.path), link), join(link, 'push.sqlite')),
        'link to a link': () => (
          symlinkSync(rig.path, link), symlinkSync('link', join(folder, '2')), join(folder, '2')
        ),
        detour: () => (mkdirSync(join(dirname(rig.path), 'sub')), `${dirname(rig.path)}/sub/../push.sqlite`),
      };
      // The first goes through the link too, before there is a file.
      const path = paths[way]?.() ?? '';
      const first = new StoreRig({ path }).open();
      expect(() => rig.open()).toThrow('another process is using it');
      await first.close();
      rig.open();
      expect(() => new StoreRig({ path }).open()).toThrow('another process is using it');
    },
  );
});

describe('a file with a second name', () => {
  it('is refused by either name until one is gone, and says what to do', async () => {
    const rig = new StoreRig();
    await rig.store.close();
    const other = join(temporaryFolder(), 'push.sqlite');
    linkSync(rig.path, other);
    for (const path of [rig.path, other]) {
      expect(() => new StoreRig({ path }).open()).toThrow(
        new PushStoreError(
          `cannot use the token database ${path}: it has 2 names (hard links): copy it, and use the copy`,
        ),
      );
    }
    const copy = join(dirname(other), 'copy.sqlite');
    copyFileSync(other, copy);
    expect(new StoreRig({ path: copy }).open().counts().bindingCount).toBe(0);
    rmSync(other);
    expect(rig.open().counts().bindingCount).toBe(0);
  });

  it('cannot be used beside a store that is open', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('a'));
    const other = join(temporaryFolder(), 'push.sqlite');
    linkSync(rig.path, other);
    expect(await new StoreProcess(other, { mode: 'open' }).line('error')).toContain('2 names');
    expect((await rig.store.register(rig.registration('b'))).kind).toBe('bound');
  });
});

describe('other tools', () => {
  it('can read and write the database while the store is open', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('a'));
    expect(rig.query('SELECT count(*) AS n FROM bindings')).toEqual([{ n: 1 }]);
    expect(rig.query('UPDATE bindings SET updated_at = 1 RETURNING updated_at')).toEqual([{ updated_at: 1 }]);
    expect((await rig.store.register(rig.registration('b'))).kind).toBe('bound');
    expect(rig.query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  it('that hold the write lock too long make requests fail, not hang, and nothing is lost', async () => {
    const rig = new StoreRig();
    await rig.store.register(rig.registration('a'));
    const tool = new DatabaseSync(rig.path);
    tool.exec('BEGIN IMMEDIATE');
    const mark = rig.mark();
    const [claimed, registered] = await Promise.allSettled([
      rig.store.claim(mark),
      rig.store.register(rig.registration('b')),
    ]);
    for (const result of [claimed, registered]) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(PushStoreError) });
      expect(result).toMatchObject({
        reason: { message: expect.stringMatching(/push[.]sqlite.*another process/) },
      });
    }
    expect(await rig.store.isMarked(mark)).toBe(false);
    expect(rig.store.counts()).toEqual({ bindingCount: 1, replayMarkCount: 1 });
    tool.close();
    expect(await rig.store.claim(mark)).toEqual({ kind: 'fresh' });
  });
});

describe('the lock', () => {
  it('is a file for its owner alone', () => {
    const rig = new StoreRig();
    rig.open();
    expect(statSync(`${rig.path}.lock`).mode & 0o777).toBe(0o600);
  });
});
