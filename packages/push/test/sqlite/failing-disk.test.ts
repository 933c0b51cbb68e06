import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, silentLogger } from '@openchambery/daemon';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ReplayMark } from '../../src/binding/replay-mark.ts';
import { PushStoreError } from '../../src/binding/store-error.ts';
import { StoreRig, serverId, token } from './support.ts';

/** A disk of 2 MiB in memory. */
function mount(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { stdio: 'pipe' });
}

/** Why no disk can be mounted here; `undefined` when it can. */
function mountFault(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'push-disk-'));
  try {
    mount(folder);
    execFileSync('umount', [folder]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmdirSync(folder);
  }
}

class Disk {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'push-disk-'));

  constructor() {
    mount(this.folder);
    // Runs after what later users of the disk have to do at the end.
    onTestFinished(() => {
      execFileSync('umount', [this.folder]);
      rmdirSync(this.folder);
    });
  }

  /** Leaves room for that many blocks. */
  fill(freeBlocks: number): void {
    const { bavail, bsize } = statfsSync(this.folder);
    writeFileSync(join(this.folder, 'ballast'), Buffer.alloc(Math.max(0, bavail - freeBlocks) * bsize));
  }

  makeRoom(): void {
    rmSync(join(this.folder, 'ballast'));
  }

  remount(mode: 'ro' | 'rw'): void {
    execFileSync('mount', ['-o', `remount,${mode}`, this.folder]);
  }
}

/** Registers until 60 have been refused; the names of those that were and were not taken. */
async function registerUntilRefused(rig: StoreRig): Promise<{ taken: string[]; refused: string[] }> {
  const taken: string[] = [];
  const refused: string[] = [];
  for (let turn = 0; refused.length < 60; turn++) {
    const names = Array.from({ length: 20 }, (_, i) => `${turn} ${i}`);
    const results = await Promise.allSettled(names.map((name) => rig.store.register(rig.registration(name))));
    for (const [index, result] of results.entries()) {
      if (result.status === 'rejected') {
        expect(result.reason).toBeInstanceOf(PushStoreError);
        expect(result.reason.message).toContain(rig.path);
      }
      (result.status === 'rejected' ? refused : taken).push(names[index] ?? '');
    }
  }
  return { taken, refused };
}

/** Claims until the disk takes no more; the mark that was refused. */
async function claimUntilRefused(rig: StoreRig): Promise<ReplayMark> {
  for (;;) {
    const mark = rig.mark();
    const [result] = await Promise.allSettled([rig.store.claim(mark)]);
    if (result?.status === 'rejected') return mark;
  }
}

function describeFullDisk(): void {
  it.each([0, 1, 2, 5])(
    'refuses requests, forgets nothing and is used again: %i blocks free',
    async (free) => {
      const lines: string[] = [];
      const error: Logger['error'] = (fields, message) => void lines.push(JSON.stringify([fields, message]));
      const disk = new Disk();
      const rig = new StoreRig({
        path: join(disk.folder, 'push.sqlite'),
        logger: { ...silentLogger, error },
        limits: { maxTokens: 100_000, maxReplayEntries: 100_000 },
      });
      const first = Array.from({ length: 50 }, (_, i) => `first ${i}`);
      await Promise.all(first.map((name) => rig.store.register(rig.registration(name))));
      disk.fill(free);

      const { taken, refused } = await registerUntilRefused(rig);
      const bindingCount = first.length + taken.length;
      expect(rig.store.counts()).toEqual({ bindingCount, replayMarkCount: bindingCount });
      const lost = await claimUntilRefused(rig);
      const { replayMarkCount } = rig.store.counts();
      expect(await rig.store.isMarked(lost)).toBe(false);
      expect((await rig.store.find(serverId('S'), first.map(token))).size).toBe(first.length);
      // A line per kind and not per request, and none says which token.
      expect(lines.length).toBeGreaterThanOrEqual(1);
      expect(lines.length).toBeLessThanOrEqual(2);
      expect(lines.join()).toMatch(/SQLITE_(?:FULL|IOERR)/);
      for (const name of refused) expect(lines.join()).not.toContain(token(name));

      disk.makeRoom();
      const [again = '', ...others] = refused;
      expect(await rig.store.claim(lost)).toEqual({ kind: 'fresh' });
      expect((await rig.store.register(rig.registration(again))).kind).toBe('bound');
      await rig.reopen();
      expect(rig.store.counts()).toEqual({
        bindingCount: bindingCount + 1,
        replayMarkCount: replayMarkCount + 2,
      });
      const known = [...first, ...taken, again].map(token);
      expect((await rig.store.find(serverId('S'), known)).size).toBe(known.length);
      expect((await rig.store.find(serverId('S'), others.map(token))).size).toBe(0);
      expect(rig.query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    },
  );

  it('lets a start fail with the reason, and the next succeed', () => {
    const disk = new Disk();
    const rig = new StoreRig({ path: join(disk.folder, 'push.sqlite') });
    disk.fill(0);
    for (let i = 0; i < 2; i++)
      expect(() => rig.open()).toThrow(/push[.]sqlite: the disk (?:is full|reports an error)/);
    disk.makeRoom();
    expect(rig.open().counts().bindingCount).toBe(0);
  });
}

function describeReadOnlyDisk(): void {
  it('refuses the start, naming the file and the reason', async () => {
    const disk = new Disk();
    const rig = new StoreRig({ path: join(disk.folder, 'push.sqlite') });
    await rig.store.register(rig.registration('t'));
    await rig.store.close();
    disk.remount('ro');
    const missing = new StoreRig({ path: join(disk.folder, 'missing', 'push.sqlite') });
    for (const { path, open } of [rig, missing].map((each) => ({
      path: each.path,
      open: () => each.open(),
    }))) {
      expect(open).toThrow(`cannot use the token database ${path}: the file system is read-only`);
    }
    disk.remount('rw');
    expect(rig.open().counts().bindingCount).toBe(1);
  });
}

const fault = mountFault();
if (fault !== undefined) {
  console.warn(
    `SKIPPED, the tests of a full and of a read-only disk: they mount one, which needs root. ${fault}`,
  );
}
describe.skipIf(fault !== undefined)('a full disk', () => {
  describeFullDisk();
});
describe.skipIf(fault !== undefined)('a read-only disk', () => {
  describeReadOnlyDisk();
});
