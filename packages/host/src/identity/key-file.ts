import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import * as nodeFiles from 'node:fs/promises';
import { platform } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

/** The operations on files that are used here; a parameter, so that tests can let each of them fail. */
export type Files = Pick<typeof nodeFiles, 'open' | 'mkdir' | 'link' | 'unlink' | 'readdir' | 'stat'>;

/** Far above what two keys take, in bytes. */
const MAX_FILE_BYTES = 16 * 1024;

/** Bits of a mode that let others than the owner do something. */
const OTHERS = 0o077;

/** A file that its writer has not finished after this long has lost its writer, in ms. */
const LEFTOVER_MS = 60_000;

const LEFTOVER_SUFFIX = '.new';

/** What stands at a path. */
export type KeyFileContent =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'not-a-file' }
  | { readonly kind: 'too-large' }
  /** Others than the owner may read or write it. */
  | { readonly kind: 'too-open'; readonly mode: number };

/** Reads a file of secrets. Rejects with Node's error when it cannot be read. */
export async function readKeyFile(file: string, files: Files = nodeFiles): Promise<KeyFileContent> {
  // Without O_NONBLOCK, opening a named pipe would wait for somebody to write into it.
  const handle = await files.open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(orAbsent);
  if (handle === undefined) return { kind: 'absent' };
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) return { kind: 'not-a-file' };
    if (hasModes() && (facts.mode & OTHERS) !== 0) return { kind: 'too-open', mode: facts.mode & 0o777 };
    if (facts.size > MAX_FILE_BYTES) return { kind: 'too-large' };
    return { kind: 'text', text: await handle.readFile('utf8') };
  } finally {
    await handle.close();
  }
}

/**
 * Puts a file of secrets where there is none, whole or not at all, and on the disk when it resolves. `exists`: somebody
 * else was faster, and nothing was changed. Rejects with Node's error when the file system does not do it.
 */
export async function createKeyFile(
  file: string,
  text: string,
  files: Files = nodeFiles,
): Promise<'created' | 'exists'> {
  const path = resolve(file);
  const folder = dirname(path);
  const firstMade = await files.mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `.${basename(path)}.${randomBytes(8).toString('hex')}${LEFTOVER_SUFFIX}`);
  try {
    await writeNew(draft, text, files);
    // Unlike a rename, a link never takes the place of what another process has put there meanwhile.
    await files.link(draft, path).catch((error: unknown) => putWithoutLink(path, { text, error, files }));
  } catch (error) {
    // Of two failures the first one says more.
    await files.unlink(draft).catch(() => undefined);
    if (codeOf(error) === 'EEXIST') return 'exists';
    throw error;
  }
  await files.unlink(draft);
  await syncFolders(folder, firstMade, files);
  await removeLeftovers(path, files);
  return 'created';
}

/** What a file system without hard links answers: FAT, some network shares. */
const NO_LINKS: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * The next best: never over another process's file, but whoever is killed in the middle leaves a damaged one behind, which
 * the next start will say.
 */
async function putWithoutLink(
  path: string,
  { text, error, files }: { readonly text: string; readonly error: unknown; readonly files: Files },
): Promise<void> {
  if (!NO_LINKS.includes(codeOf(error))) throw error;
  await writeNew(path, text, files);
}

/** Writes a file that must not exist, down to the disk. What fails in the middle leaves nothing behind. */
async function writeNew(file: string, text: string, files: Files): Promise<void> {
  const handle = await files.open(file, 'wx', 0o600);
  const write = async (): Promise<void> => {
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
  };
  await write().catch(async (error: unknown) => {
    // Nobody else's: it was made here. Of two failures the first one says more.
    await files.unlink(file).catch(() => undefined);
    throw error;
  });
}

/** A name is only as safe as the folder it stands in, and so are the folders that were made for it. */
async function syncFolders(folder: string, firstMade: string | undefined, files: Files): Promise<void> {
  if (!hasModes()) return;
  const top = firstMade === undefined ? folder : dirname(firstMade);
  for (let current = folder; ; current = dirname(current)) {
    const handle = await files.open(current, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (current === top || current === dirname(current)) return;
  }
}

/** Drafts of processes that were killed hold keys, if unused ones. Those of processes at work are younger. */
async function removeLeftovers(path: string, files: Files): Promise<void> {
  const folder = dirname(path);
  const prefix = `.${basename(path)}.`;
  const names = await files.readdir(folder);
  for (const name of names) {
    if (!name.startsWith(prefix) || !name.endsWith(LEFTOVER_SUFFIX)) continue;
    const leftover = join(folder, name);
    const facts = await files.stat(leftover).catch(orAbsent);
    if (facts !== undefined && Date.now() - facts.mtimeMs > LEFTOVER_MS) {
      await files.unlink(leftover).catch(orAbsent);
    }
  }
}

/** Windows has other means than modes, and cannot sync a folder. */
function hasModes(): boolean {
  return platform() !== 'win32';
}

function orAbsent(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}

/** The code of Node's error, such as `EACCES`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
