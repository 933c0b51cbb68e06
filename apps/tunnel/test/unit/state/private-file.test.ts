import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { link } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFile } from '../../../src/state/private-file.ts';
import { temporaryFolder } from '../support/folder.ts';

/** A file system that refuses hard links, as it does where there are none. */
function withoutLinks(code: string): typeof link {
  return () => Promise.reject(Object.assign(new Error('no links here'), { code }));
}

describe('a file that must not be there yet', () => {
  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])(
    'is made once where the file system has no hard links (%s)',
    async (code) => {
      const folder = await temporaryFolder();
      const path = join(folder, 'file');
      expect(await createFile(path, 'one', withoutLinks(code))).toBe(true);
      expect(await createFile(path, 'two', withoutLinks(code))).toBe(false);
      expect(await createFile(path, 'three')).toBe(false);
      expect(await readFile(path, 'utf8')).toBe('one');
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(await readdir(folder)).toEqual(['file']);
    },
  );

  it('is made by one of many', async () => {
    const path = join(await temporaryFolder(), 'file');
    const made = await Promise.all(
      Array.from({ length: 20 }, (_unused, index) => createFile(path, String(index), withoutLinks('EPERM'))),
    );
    expect(made.filter((isMade) => isMade)).toHaveLength(1);
    expect(await readFile(path, 'utf8')).toBe(String(made.indexOf(true)));
  });

  it('is not made when there is another reason', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'other'), '');
    const fails = createFile(join(folder, 'file'), 'one', withoutLinks('EACCES'));
    await expect(fails).rejects.toMatchObject({ code: 'EACCES' });
    expect(await readdir(folder)).toEqual(['other']);
  });
});
