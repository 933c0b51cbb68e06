import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { eventually, FakeClock } from '@openchambery/testkit';
import { systemClock } from '@openchambery/tunnel';
import type { Clock } from '@openchambery/tunnel';
import { describe, expect, it } from 'vitest';
import { takeLock } from '../../../src/state/lock-file.ts';
import type { HeldLock, LockOutcome } from '../../../src/state/lock-file.ts';
import { temporaryFolder } from '../support/folder.ts';

const now = { clock: systemClock, waitMs: 0 };

function held(outcome: LockOutcome): HeldLock {
  if (outcome.state !== 'held') throw new Error(`the lock is held by ${outcome.by.pid}`);
  return outcome.lock;
}

/** The number of a process that was, and is over. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? -1;
}

function note(pid: number, more: object = {}): string {
  return JSON.stringify({ pid, host: hostname(), began: '', token: 'abcdefghijkl', ...more });
}

describe('a lock', () => {
  it('is held once, and free again after its release', async () => {
    const path = join(await temporaryFolder(), 'lock');
    const lock = held(await takeLock(path, now));
    expect(await takeLock(path, now)).toMatchObject({ state: 'taken', by: { pid: process.pid } });
    await lock.release();
    await held(await takeLock(path, now)).release();
  });

  it('leaves nothing behind', async () => {
    const folder = await temporaryFolder();
    const lock = held(await takeLock(join(folder, 'lock'), now));
    expect(await readdir(folder)).toEqual(['lock']);
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is waited for, and no longer than told', async () => {
    const path = join(await temporaryFolder(), 'lock');
    const lock = held(await takeLock(path, now));
    const clock = new FakeClock();
    const waiting = takeLock(path, { clock, waitMs: 50 });
    const rounds = new AbortController();
    void waiting.finally(() => rounds.abort());
    let passedMs = 0;
    while (!rounds.signal.aborted) {
      // Between two attempts it sleeps; during one it works with files, which takes real time.
      if (clock.pendingTimers > 0) {
        clock.advance(10);
        passedMs += 10;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await waiting).toMatchObject({ state: 'taken' });
    expect(passedMs).toBe(60);
    await lock.release();
  });

  it('goes to one of many who want it at once', async () => {
    const path = join(await temporaryFolder(), 'lock');
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => takeLock(path, now)));
    expect(outcomes.filter(({ state }) => state === 'held')).toHaveLength(1);
  });
});

describe('the lock of a process that is over', () => {
  it.each([1, 20])('is cleared away, and goes to one of %i', async (count) => {
    const folder = await temporaryFolder();
    const path = join(folder, 'lock');
    await writeFile(path, note(await deadPid()));
    const wait = { clock: systemClock, waitMs: 200 };
    const outcomes = await Promise.all(Array.from({ length: count }, () => takeLock(path, wait)));
    expect(outcomes.filter(({ state }) => state === 'held')).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['lock']);
  });

  it('is known by its beginning when its number lives on', async () => {
    const path = join(await temporaryFolder(), 'lock');
    await writeFile(path, note(process.pid, { began: 'another boot/1' }));
    expect(await takeLock(path, now)).toMatchObject({
      state: process.platform === 'linux' ? 'held' : 'taken',
    });
  });

  it('is cleared away also when another died while clearing it', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'lock');
    await writeFile(path, note(await deadPid()));
    await writeFile(`${path}.abcdefghijkl`, note(await deadPid(), { token: 'mnopqrstuvwx' }));
    held(await takeLock(path, now));
    expect(await readdir(folder)).toEqual(['lock']);
  });

  it.each(['', '{', 'null', '{"pid":-1}', note(1, { token: '../../x' })])(
    'is assumed of the content %j',
    async (text) => {
      const path = join(await temporaryFolder(), 'lock');
      await writeFile(path, text);
      // Nobody is still writing it: time passes at once.
      const clock: Clock = { ...systemClock, setTimer: (run) => systemClock.setTimer(run, 0) };
      held(await takeLock(path, { clock, waitMs: 0 }));
      expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: process.pid });
    },
  );

  it('is not assumed of one that is just being written, where that takes two steps', async () => {
    const path = join(await temporaryFolder(), 'lock');
    await writeFile(path, '');
    const clock = new FakeClock();
    const taking = takeLock(path, { clock, waitMs: 0 });
    await eventually(() => expect(clock.pendingTimers).toBe(1));
    await writeFile(path, note(process.pid));
    clock.advance(1000);
    expect(await taking).toMatchObject({ state: 'taken', by: { token: 'abcdefghijkl' } });
  });

  it('is not assumed of a process on another machine', async () => {
    const path = join(await temporaryFolder(), 'lock');
    await writeFile(path, note(await deadPid(), { host: 'elsewhere' }));
    expect(await takeLock(path, now)).toMatchObject({ state: 'taken', by: { host: 'elsewhere' } });
  });
});

it('a lock that cannot be made is the system’s error', async () => {
  await expect(takeLock(join(await temporaryFolder(), 'none', 'lock'), now)).rejects.toMatchObject({
    code: 'ENOENT',
  });
});
