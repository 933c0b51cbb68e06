import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { PushStoreError } from '../binding/store-error.ts';
import { isMountPoint } from './mount-point.ts';

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

/** The smallest page that a database can have. <https://sqlite.org/fileformat2.html> */
const LEAST_BYTES = 512;

/**
 * Makes the file of a database and the folders above it unless they exist, readable by their owner alone, and gives
 * the name that all links to the file share.
 * @throws {PushStoreError} naming the file and the reason.
 */
export function prepareDatabaseFile(path: string): string {
  try {
    const file = followLinks(resolve(path));
    createFile(file);
    requireUsable(file, statSync(file));
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

/** Not by mkdir's own recursion: of a read-only file system that says that the folder is not there (Node 24). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster; if it is no folder, what follows says so.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** The real name of a file that need not exist yet. */
function followLinks(path: string, linkCount = 0): string {
  makeFolder(dirname(path));
  const file = join(realpathSync(dirname(path)), basename(path));
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return file;
  if (linkCount === MAX_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
  return followLinks(resolve(dirname(file), readlinkSync(file)), linkCount + 1);
}

function requireUsable(file: string, stat: Stats): void {
  const refuse = (reason: string): PushStoreError =>
    new PushStoreError(`cannot use the token database ${file}: ${reason}`);
  if (stat.isDirectory()) throw refuse('it is a directory');
  if (!stat.isFile()) throw refuse('it is not a regular file');
  // What SQLite and we keep beside it belongs to its name: under another name nobody would know of this process.
  if (stat.nlink > 1) throw refuse(`it has ${stat.nlink} names (hard links): copy it, and use the copy`);
  if (isMountPoint(file)) throw refuse('it is mounted by itself: mount the folder, not the file');
  // SQLite would take it for an empty one, and write over it.
  if (stat.size > 0 && stat.size < LEAST_BYTES) throw refuse('it is not an SQLite database');
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
