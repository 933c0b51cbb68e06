import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { codeOf, describeValue } from '../cli/describe-value.ts';
import { UsageError } from '../cli/usage-error.ts';

/** Where a body goes. */
export interface BodyTarget {
  readonly stream: Writable;
  /** All of it was written to `stream`: resolves when it is where it belongs. Rejects when that cannot be. */
  commit(): Promise<void>;
  /** It is not whole: nothing of it is kept, as far as that can be. */
  discard(): Promise<void>;
}

/** Stdout; what has been written stays written. */
export function stdoutTarget(): BodyTarget {
  const { stdout } = process;
  return {
    stream: stdout,
    commit: () =>
      new Promise((resolve) => {
        // Not ended: the process may still have something to say. A reader that is gone ends the wait, too.
        if (stdout.destroyed || stdout.writableLength === 0) resolve();
        else stdout.once('close', resolve).write('', () => resolve());
      }),
    discard: async () => undefined,
  };
}

/**
 * A file that appears when it is whole; until then its content is beside it.
 * @throws {UsageError} when it cannot be made.
 */
export async function fileTarget(path: string): Promise<BodyTarget> {
  try {
    const place = await placeOf(path);
    return place === undefined ? await deviceTarget(path) : await replacingTarget(path, place);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Where links lead that stand for a file; `undefined` for a device or pipe, in whose place no file must be put. */
async function placeOf(path: string): Promise<string | undefined> {
  const there = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (there === undefined) return path;
  if (there.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  return there.isFile() ? await realpath(path) : undefined;
}

async function deviceTarget(path: string): Promise<BodyTarget> {
  const stream = createWriteStream(path, { fd: await open(path, 'w') });
  const ended = finished(stream);
  // Whoever commits hears of it.
  ended.catch(() => undefined);
  return {
    stream,
    commit: async () => {
      stream.end();
      await ended.catch((error: unknown) => {
        throw cannotWrite(path, error);
      });
    },
    discard: async () => void stream.destroy(),
  };
}

async function replacingTarget(path: string, place: string): Promise<BodyTarget> {
  const partial = `${place}.${randomBytes(4).toString('hex')}.part`;
  const stream = createWriteStream(partial, { fd: await open(partial, 'wx') });
  const ended = finished(stream);
  // Whoever commits hears of it.
  ended.catch(() => undefined);
  return {
    stream,
    commit: async () => {
      stream.end();
      try {
        await ended;
        await rename(partial, place);
      } catch (error) {
        throw cannotWrite(path, error);
      }
    },
    discard: async () => {
      stream.destroy();
      await ended.catch(() => undefined);
      await rm(partial, { force: true });
    },
  };
}

function cannotWrite(path: string, error: unknown): UsageError {
  const reason = codeOf(error) ?? 'unknown error';
  return new UsageError(`Cannot write --output ${describeValue(path)} (${reason})`, { cause: error });
}
