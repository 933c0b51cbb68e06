import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
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

/** What stands at the path of a file of secrets. */
export type PrivateContent =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  /** Others than the owner may read or change it. */
  | { readonly kind: 'too-open'; readonly mode: number };

/** Bits of a mode that let others than the owner do something. */
const OTHERS = 0o077;

/** Reads a file of secrets. Rejects with the system's error when it cannot be read. */
export async function readPrivateFile(path: string): Promise<PrivateContent> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'absent' };
    throw error;
  }
  try {
    const facts = await file.stat();
    // Windows has other means than modes.
    const isOpen = process.platform !== 'win32' && facts.isFile() && (facts.mode & OTHERS) !== 0;
    if (isOpen) return { kind: 'too-open', mode: facts.mode & 0o777 };
    return { kind: 'text', text: await file.readFile('utf8') };
  } finally {
    await file.close();
  }
}

/** Puts `text` in the place of a file, readable by its owner alone: all of it or, whatever happens, nothing. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await withTemporary(path, text, (temporary) => rename(temporary, path));
  await syncFolder(dirname(path));
}

/** What a file system without hard links answers: FAT, some network shares. */
const NO_LINKS: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Makes a file that must not be there yet; `false` when it is. Where the file system has hard links it is there with its
 * content or not at all; elsewhere there is a moment without content.
 */
export async function createFile(path: string, text: string, makeLink: typeof link = link): Promise<boolean> {
  try {
    await withTemporary(path, text, async (temporary) => {
      try {
        await makeLink(temporary, path);
      } catch (error) {
        if (!NO_LINKS.includes(codeOf(error))) throw error;
        await createInPlace(path, text);
      }
    });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function createInPlace(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
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
