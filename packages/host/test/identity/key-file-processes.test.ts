import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadHostKeys } from '../../src/identity/load-host-keys.ts';
import { loadInProcess, makeFolder } from './support.ts';

const MINUTE_MS = 60_000;

test('eight processes that start at once agree on one identity', { timeout: MINUTE_MS }, async () => {
  for (let round = 0; round < 2; round++) {
    const folder = await makeFolder();
    const file = join(folder, 'made', 'keys.json');
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => loadInProcess(file)));
    const ids = new Set(outcomes.map(({ serverId, message }) => serverId ?? message));
    expect([...ids], JSON.stringify(outcomes)).toHaveLength(1);
    expect([...ids][0]).toMatch(/^[\w-]{43}$/);
    expect(await readdir(join(folder, 'made'))).toEqual(['keys.json']);
  }
});

test('a process killed at any step leaves a whole identity or none', { timeout: MINUTE_MS }, async () => {
  const { steps } = await loadInProcess(join(await makeFolder(), 'new', 'keys.json'));
  expect(steps).toBeGreaterThan(8);
  for (let killAt = 0; killAt < (steps ?? 0); killAt++) {
    const file = join(await makeFolder(), 'new', 'keys.json');
    expect(await loadInProcess(file, { killAt })).toEqual({ signal: 'SIGKILL' });
    const written = await stat(file).catch(() => undefined);
    const keys = await loadHostKeys(file);
    expect((await loadHostKeys(file)).signing.serverId, `killed at step ${killAt}`).toBe(
      keys.signing.serverId,
    );
    // What stood there already was taken up, not replaced.
    if (written !== undefined) expect((await stat(file)).ino).toBe(written.ino);
  }
});

test('says so when the folder cannot be written, and when the file cannot be read', async () => {
  // The superuser may write and read everything.
  const user = process.getuid?.() === 0 ? { user: 65_534 } : {};
  const folder = await makeFolder();
  await chmod(folder, 0o555);
  const unwritable = await loadInProcess(join(folder, 'keys.json'), user);
  expect(unwritable.message).toMatch(/keys\.json, cannot be created: permission denied; let the user/);
  const unmakeable = await loadInProcess(join(folder, 'new', 'keys.json'), user);
  expect(unmakeable.message).toMatch(/cannot be created: permission denied/);
  await chmod(folder, 0o755);

  await mkdir(join(folder, 'closed'));
  const file = join(folder, 'closed', 'keys.json');
  await loadInProcess(file);
  await chmod(file, 0o000);
  const unreadable = await loadInProcess(file, user);
  expect(unreadable.message).toMatch(/keys\.json, cannot be read: permission denied/);
});
