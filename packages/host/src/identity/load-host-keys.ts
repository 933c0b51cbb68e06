import { HostError } from '../host-error.ts';
import {
  createHostKeys,
  exportHostKeys,
  importHostKeys,
  type HostKeys,
  type StoredHostKeys,
} from './host-keys.ts';
import { codeOf, createKeyFile, readKeyFile, type Files, type KeyFileContent } from './key-file.ts';
import { formatStoredKeys, parseStoredKeys, type StoredKeysFault } from './stored-keys.ts';

/** What a person can do about a file that holds no usable keys. Never: make new ones over it. */
const WAY_OUT =
  'restore it from a backup, or move it away to get a new identity (all Clients have to be paired again then)';

const CONTENT_FAULTS: Readonly<Record<StoredKeysFault, string>> = {
  empty: `is empty; ${WAY_OUT}`,
  'not-json': `is damaged: it is not JSON; ${WAY_OUT}`,
  foreign: `does not hold the keys of a Host; name another file, or ${WAY_OUT}`,
  newer: 'was written by a later version; update this program',
};

/** What the file system answers, in words. */
const SYSTEM_FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; let the user who runs this program read and write there',
  EPERM: 'permission denied; let the user who runs this program read and write there',
  EROFS: 'the file system is read-only; name a file on one that can be written',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of its path is not a folder; name another file',
  EEXIST: 'a part of its path is not a folder; name another file',
  ELOOP: 'its path leads in circles; name another file',
  ENAMETOOLONG: 'its path is too long; name another file',
};

/**
 * The identity kept in `file`; where there is no file, a new one, which is on the disk with mode 0600 when this resolves.
 * Processes that start at once agree on one. A file that cannot be used is never replaced.
 * @throws {HostError} `ERR_HOST_KEYS`, with the path and what to do.
 */
export async function loadHostKeys(file: string, files?: Files): Promise<HostKeys> {
  const present = await guard(file, 'read', () => readKeyFile(file, files));
  if (present.kind !== 'absent') return importKeys(file, present);
  const keys = await createHostKeys();
  const text = formatStoredKeys(await exportHostKeys(keys));
  if ((await guard(file, 'created', () => createKeyFile(file, text, files))) === 'created') return keys;
  return importKeys(file, await guard(file, 'read', () => readKeyFile(file, files)));
}

async function importKeys(file: string, content: KeyFileContent): Promise<HostKeys> {
  const stored = toStoredKeys(file, content);
  try {
    return await importHostKeys(stored);
  } catch {
    // The reason lies in the keys and is not for messages.
    throw fault(file, `is damaged: its keys are not valid; ${WAY_OUT}`);
  }
}

function toStoredKeys(file: string, content: KeyFileContent): StoredHostKeys {
  switch (content.kind) {
    case 'absent':
      throw fault(file, 'vanished while it was being made, or is a link that leads nowhere');
    case 'not-a-file':
      throw fault(file, 'is not a file; name another one');
    case 'too-large':
      throw fault(file, CONTENT_FAULTS.foreign);
    case 'too-open':
      throw fault(
        file,
        `may be read or changed by others (mode ${content.mode.toString(8).padStart(4, '0')}); run: chmod 600 ${quote(file)}`,
      );
    case 'text': {
      const stored = parseStoredKeys(content.text);
      if (typeof stored === 'string') throw fault(file, CONTENT_FAULTS[stored]);
      return stored;
    }
  }
}

async function guard<T>(file: string, deed: 'read' | 'created', attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (cause) {
    const code = codeOf(cause);
    if (code === undefined) throw cause;
    throw fault(file, `cannot be ${deed}: ${SYSTEM_FAULTS[code] ?? code}`, cause);
  }
}

function fault(file: string, what: string, cause?: unknown): HostError {
  const message = `The file of this Host's keys, ${file}, ${what}`;
  return new HostError('ERR_HOST_KEYS', message, cause === undefined ? undefined : { cause });
}

/** For a POSIX shell, where somebody may paste it. */
function quote(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}
