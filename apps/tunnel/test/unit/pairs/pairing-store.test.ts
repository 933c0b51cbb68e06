import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { systemClock } from '@openchambery/tunnel';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/usage-error.ts';
import { addPairing, revokePairings } from '../../../src/pairs/pairing-changes.ts';
import { PairingStore } from '../../../src/pairs/pairing-store.ts';
import { NO_PAIRINGS } from '../../../src/pairs/pairing.ts';
import { takeLock } from '../../../src/state/lock-file.ts';
import { temporaryExposure } from '../support/folder.ts';

async function makeStore() {
  const files = await temporaryExposure();
  return { files, store: new PairingStore(files, systemClock) };
}

describe('the file of pairings', () => {
  it('is empty when it is not there', async () => {
    const { store } = await makeStore();
    expect(await store.read()).toEqual(NO_PAIRINGS);
  });

  it('keeps what is written, for its owner alone', async () => {
    const { files, store } = await makeStore();
    const written = await store.update((pairings) => addPairing(pairings, 'phone', 5).pairings);
    expect(await new PairingStore(files, systemClock).read()).toEqual(written);
    expect((await stat(files.pairs)).mode & 0o777).toBe(0o600);
    expect(await readdir(files.folder)).toEqual(['pairs.json']);
  });

  it('is not touched by a change that changes nothing', async () => {
    const { files, store } = await makeStore();
    await store.update((pairings) => pairings);
    expect(await readdir(files.folder)).toEqual([]);
  });

  it('loses no change of many that are made at once, from many stores', async () => {
    const { files } = await makeStore();
    const labels = Array.from({ length: 12 }, (_unused, index) => `device ${index}`);
    await Promise.all(
      labels.map((label) =>
        new PairingStore(files, systemClock).update((pairings) => addPairing(pairings, label, 1).pairings),
      ),
    );
    const { live } = await new PairingStore(files, systemClock).read();
    expect(live.map(({ label }) => label).toSorted()).toEqual(labels.toSorted());
  });

  it('lets go of its lock when a change throws, and writes nothing', async () => {
    const { files, store } = await makeStore();
    const fails = store.update((pairings) => revokePairings(pairings, ['nobody'], 1));
    await expect(fails).rejects.toThrow('No pairing "nobody": there are no pairings');
    expect(await readdir(files.folder)).toEqual([]);
  });

  it.each([
    '',
    '{',
    '[]',
    '{"version":2,"pairings":[],"revoked":[]}',
    '{"version":1,"pairings":[{}],"revoked":[]}',
  ])('is never taken for empty, nor overwritten, when it says %j', async (text) => {
    const { files, store } = await makeStore();
    await writeFile(files.pairs, text, { mode: 0o600 });
    await expect(store.read()).rejects.toThrow(UsageError);
    await expect(store.update((pairings) => addPairing(pairings, 'x', 1).pairings)).rejects.toThrow(
      /^Cannot read ".*pairs\.json": it is damaged or of another version/,
    );
    expect(await readFile(files.pairs, 'utf8')).toBe(text);
  });

  it('that cannot be read is one line with the reason', async () => {
    const { files, store } = await makeStore();
    await mkdir(files.pairs);
    await expect(store.read()).rejects.toThrow(/^Cannot read ".*pairs\.json" \(EISDIR\)$/);
  });

  it.each([0o640, 0o604, 0o620])(
    'that others may read or change (mode %i) is refused, with what to do',
    async (mode) => {
      const { files, store } = await makeStore();
      await store.update((pairings) => addPairing(pairings, 'phone', 5).pairings);
      await chmod(files.pairs, mode);
      await expect(store.read()).rejects.toThrow(
        new RegExp(
          `^Cannot use "(.*)": others may read or change it \\(mode 0${mode.toString(8)}\\), and it holds secrets; run: chmod 600 "\\1"$`,
        ),
      );
      await chmod(files.pairs, 0o400);
      expect((await store.read()).live).toHaveLength(1);
    },
  );

  it('that cannot be written is one line with the reason, and stays as it was', async () => {
    const { files, store } = await makeStore();
    await mkdir(`${files.folder}/closed`);
    const closed = { pairs: `${files.folder}/none/pairs.json`, pairsLock: files.pairsLock };
    const fails = new PairingStore(closed, systemClock).update((p) => addPairing(p, 'x', 1).pairings);
    await expect(fails).rejects.toThrow(/^Cannot write ".*pairs\.json" \(ENOENT\)$/);
    await chmod(files.folder, 0o700);
    expect(await store.read()).toEqual(NO_PAIRINGS);
  });

  it('that somebody else is changing is waited for, then refused with a name', async () => {
    const { files } = await makeStore();
    await takeLock(files.pairsLock, { clock: systemClock, waitMs: 0 });
    // A clock in which five seconds pass at once.
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => (nowMs += 3000) };
    const fails = new PairingStore(files, clock).update((pairings) => pairings);
    await expect(fails).rejects.toThrow(`being changed by process ${process.pid} on`);
  });
});
