import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { PushStoreError } from '../binding/store-error.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'a part of its path is not a folder',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

/** As many as Linux follows. */
const MAX_LINKS = 40;

/**
 * Makes the file of a database and the folders above it unless they exist, readable by their owner alone, and gives
 * the name that all links to the file share.
 * @throws {PushStoreError} naming the file and the reason.
 */
export function prepareDatabaseFile(path: string): string {
  try {
    const file = followLinks(resolve(path));
    createFile(file);
    const stat = statSync(file);
    if (stat.isDirectory())
      throw new PushStoreError(`cannot use the token database ${file}: it is a directory`);
    if (!stat.isFile())
      throw new PushStoreError(`cannot use the token database ${file}: it is not a regular file`);
    accessSync(file, constants.R_OK | constants.W_OK);
    // SQLite keeps its journal beside it.
    requireWritableFolder(file);
    return file;
  } catch (error) {
    throw toFileError(path, error);
  }
}

/**
 * Makes an empty file unless there is something of that name. What exists is not even opened: closing it would let go
 * of the locks that this process holds on it (POSIX fcntl).
 */
export function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** The real name of a file that need not exist yet. */
function followLinks(path: string, linkCount = 0): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = join(realpathSync(dirname(path)), basename(path));
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return file;
  if (linkCount === MAX_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
  return followLinks(resolve(dirname(file), readlinkSync(file)), linkCount + 1);
}

function requireWritableFolder(file: string): void {
  try {
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = REASONS[codeOf(error)] ?? String(error);
    throw new PushStoreError(`cannot use the token database ${file}: cannot write to its folder: ${reason}`, {
      cause: error,
    });
  }
}

function toFileError(path: string, error: unknown): unknown {
  if (error instanceof PushStoreError || !(error instanceof Error)) return error;
  const reason = REASONS[codeOf(error)] ?? error.message;
  return new PushStoreError(`cannot use the token database ${path}: ${reason}`, { cause: error });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
