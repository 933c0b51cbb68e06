import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Clock } from '@openchambery/tunnel';
import { createFile, readIfThere } from './private-file.ts';
import { isOver, ownMark } from './process-mark.ts';
import type { ProcessMark } from './process-mark.ts';

/** A lock that this process holds. */
export interface HeldLock {
  release(): Promise<void>;
}

/** What came of an attempt to take a lock. */
export type LockOutcome =
  | { readonly state: 'held'; readonly lock: HeldLock }
  | { readonly state: 'taken'; readonly by: ProcessMark };

/** How long to wait for a lock. */
export interface LockWait {
  readonly clock: Clock;
  /** In ms; 0 does not wait. */
  readonly waitMs: number;
}

/** How often a lock that is taken is tried again, in ms. */
const RETRY_MS = 20;

/** How long a lock may be there without its content, in ms: a moment, where the file system has no hard links. */
const WRITING_MS = 1000;

/** Locks of locks nest when processes die while they clear up after one that died; nobody is that unlucky. */
const MAX_DEPTH = 8;

/** What stands in a lock file. */
interface Note extends ProcessMark {
  /** Another one for each taking. */
  readonly token: string;
}

/**
 * Takes a lock that other processes see. It is a file, made by a link with the owner's number in it where there are links; that of a process
 * that is over is cleared away. Rejects with the system's error when files cannot be made there.
 */
export async function takeLock(path: string, { clock, waitMs }: LockWait): Promise<LockOutcome> {
  const deadline = clock.monotonicMs() + waitMs;
  for (;;) {
    const outcome = await tryLock(path, { clock, depth: 0 });
    if (outcome.state === 'held' || clock.monotonicMs() >= deadline) return outcome;
    await sleep(RETRY_MS, clock);
  }
}

interface Attempt {
  readonly clock: Clock;
  readonly depth: number;
}

async function tryLock(path: string, { clock, depth }: Attempt): Promise<LockOutcome> {
  const note: Note = { ...ownMark(), token: randomBytes(9).toString('base64url') };
  for (let attempt = 0; ; attempt += 1) {
    if (await createFile(path, `${JSON.stringify(note)}\n`))
      return { state: 'held', lock: heldLock(path, note) };
    const owner = await readSettledNote(path, clock);
    if (owner === undefined) continue;
    const isStale = owner.token === UNREADABLE.token || isOver(owner);
    if (!isStale || depth === MAX_DEPTH || attempt === MAX_DEPTH) return { state: 'taken', by: owner };
    if (!(await clearAway(path, { clock, owner, depth }))) return { state: 'taken', by: owner };
  }
}

/**
 * Removes the lock of a process that is over. Two might find it at once, and the slower one remove the lock that the
 * faster one has taken by then: so this needs a lock of its own, named after the taking that is to be cleared away.
 * @returns whether it makes sense to try again.
 */
async function clearAway(
  path: string,
  { clock, owner, depth }: Attempt & { readonly owner: Note },
): Promise<boolean> {
  const outcome = await tryLock(`${path}.${owner.token}`, { clock, depth: depth + 1 });
  if (outcome.state === 'taken') return false;
  try {
    const now = await readNote(path);
    if (now?.token === owner.token) await rm(path, { force: true });
    return true;
  } finally {
    await outcome.lock.release();
  }
}

function heldLock(path: string, note: Note): HeldLock {
  return {
    release: async () => {
      // Whoever deleted it by hand may have let in another.
      if ((await readNote(path))?.token === note.token) await rm(path, { force: true });
    },
  };
}

/** A power failure can leave a file without its content; whoever wrote it is over. */
const UNREADABLE: Note = { pid: 0, host: '', began: '', token: 'unreadable' };

/** What stands there when whoever has made it had the time to write it. */
async function readSettledNote(path: string, clock: Clock): Promise<Note | undefined> {
  const note = await readNote(path);
  if (note !== UNREADABLE) return note;
  await sleep(WRITING_MS, clock);
  return readNote(path);
}

function sleep(ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, ms));
}

async function readNote(path: string): Promise<Note | undefined> {
  const text = await readIfThere(path);
  return text === undefined ? undefined : (parseNote(text) ?? UNREADABLE);
}

function parseNote(text: string): Note | undefined {
  try {
    const note: unknown = JSON.parse(text);
    if (typeof note !== 'object' || note === null) return undefined;
    const { pid, host, began, token } = note as Record<string, unknown>;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    if (typeof host !== 'string' || typeof began !== 'string' || typeof token !== 'string') return undefined;
    // The token becomes part of a file's name.
    return /^[A-Za-z0-9_-]{12}$/.test(token) ? { pid, host, began, token } : undefined;
  } catch {
    // Not JSON: the same as JSON of another shape.
    return undefined;
  }
}
