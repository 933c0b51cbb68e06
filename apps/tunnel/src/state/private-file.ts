import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../cli/describe-value.ts';

/** The text of a file; `undefined` when there is none. Rejects with the system's error otherwise. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Puts `text` in the place of a file, readable by its owner alone: all of it or, whatever happens, nothing. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await withTemporary(path, text, (temporary) => rename(temporary, path));
  await syncFolder(dirname(path));
}

/** Makes a file that must not be there yet; `false` when it is. */
export async function createFile(path: string, text: string): Promise<boolean> {
  return withTemporary(path, text, async (temporary) => {
    try {
      // Unlike a file that is opened and then written, a link is there with its content or not at all.
      await link(temporary, path);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  });
}

async function withTemporary<T>(
  path: string,
  text: string,
  use: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    return await use(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A rename is on disk when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders, and its renames need no such thing.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
