import { execFile } from 'node:child_process';
import * as nodeFiles from 'node:fs/promises';
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { HostError } from '../../src/host-error.ts';
import { createHostKeys, exportHostKeys, importHostKeys } from '../../src/identity/host-keys.ts';
import { loadHostKeys } from '../../src/identity/load-host-keys.ts';
import { makeFolder } from './support.ts';

async function refusal(file: string): Promise<HostError> {
  const error: unknown = await loadHostKeys(file).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HostError);
  const refused = error as HostError;
  expect(refused.code).toBe('ERR_HOST_KEYS');
  expect(refused.message).toContain(file);
  return refused;
}

async function writeSecret(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 });
}

test('makes an identity where there is none, and gives the same one afterwards', async () => {
  const file = join(await makeFolder(), 'deep', 'er', 'host-keys.json');
  const made = await loadHostKeys(file);
  const again = await loadHostKeys(file);
  expect(again.signing.serverId).toBe(made.signing.serverId);
  expect(again.encryption.publicJwk).toEqual(made.encryption.publicJwk);
  expect(await exportHostKeys(again)).toEqual(await exportHostKeys(made));
});

test('lets nobody else at the file and the folders it made', async () => {
  const folder = await makeFolder();
  const file = join(folder, 'a', 'b', 'keys.json');
  await loadHostKeys(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, 'a', 'b'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(folder, 'a', 'b'))).toEqual(['keys.json']);
});

test('writes both private keys and a version', async () => {
  const file = join(await makeFolder(), 'keys.json');
  const keys = await loadHostKeys(file);
  const stored: unknown = JSON.parse(await readFile(file, 'utf8'));
  expect(stored).toEqual(await exportHostKeys(keys));
  expect(stored).toMatchObject({ version: 1 });
});

test('takes up exported keys', async () => {
  const keys = await createHostKeys();
  const again = await importHostKeys(await exportHostKeys(keys));
  expect(again.signing.serverId).toBe(keys.signing.serverId);
  expect(again.encryption.publicJwk).toEqual(keys.encryption.publicJwk);
});

test.each([0o640, 0o604, 0o620, 0o602, 0o644, 0o660])(
  'refuses a file of mode %o and says the way out',
  async (mode) => {
    const file = join(await makeFolder(), "it's mine.json");
    await loadHostKeys(file);
    await chmod(file, mode);
    const { message } = await refusal(file);
    expect(message).toContain(`mode 0${mode.toString(8)}`);
    const command = message.slice(message.indexOf('chmod'));
    await promisify(execFile)('/bin/sh', ['-c', command]);
    await loadHostKeys(file);
  },
);

test.each([0o400, 0o600, 0o700])('takes a file of mode %o', async (mode) => {
  const file = join(await makeFolder(), 'keys.json');
  await loadHostKeys(file);
  await chmod(file, mode);
  await loadHostKeys(file);
});

test.each([
  ['empty', ''],
  ['blank', '\n  \n'],
  ['text', 'hunter2-secret'],
  ['other JSON', '{"password":"hunter2-secret"}'],
  ['a list', '[1]'],
  ['a list of versions', '{"version":[1]}'],
  ['null', 'null'],
  ['keys of a later version', '{"version":2,"secret":"hunter2-secret"}'],
  ['one key', '{"version":1,"signing":{"kty":"EC","crv":"P-256","x":"hunter2-secret","y":"","d":""}}'],
])('refuses %s, says what to do and leaves it as it is', async (_what, text) => {
  const file = join(await makeFolder(), 'keys.json');
  await writeSecret(file, text);
  const { message, cause } = await refusal(file);
  expect(message).toMatch(/restore|later version/);
  expect(`${message} ${String(cause)}`).not.toContain('hunter2');
  expect(await readFile(file, 'utf8')).toBe(text);
});

test.each(['signing', 'encryption'] as const)(
  'refuses a file whose %s key does not fit together',
  async (name) => {
    const file = join(await makeFolder(), 'keys.json');
    const [stored, other] = await Promise.all([
      createHostKeys().then(exportHostKeys),
      createHostKeys().then(exportHostKeys),
    ]);
    const text = JSON.stringify({ ...stored, [name]: { ...stored[name], d: other[name].d } });
    await writeSecret(file, text);
    const { message } = await refusal(file);
    expect(message).toContain('damaged');
    expect(message).not.toContain(other[name].d);
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

test('refuses a truncated file wherever it was cut', async () => {
  const file = join(await makeFolder(), 'keys.json');
  await loadHostKeys(file);
  const { size } = await stat(file);
  // Without its last byte, a line feed, nothing is lost.
  for (let length = size - 2; length >= 0; length -= 37) {
    await truncate(file, length);
    await refusal(file);
    expect((await stat(file)).size).toBe(length);
  }
});

test('refuses a folder, a named pipe, a device and a very large file', async () => {
  const folder = await makeFolder();
  await mkdir(join(folder, 'folder'));
  await promisify(execFile)('mkfifo', ['-m', '600', join(folder, 'pipe')]);
  await writeSecret(join(folder, 'large'), ' '.repeat(16 * 1024 + 1));
  for (const name of ['folder', 'pipe', 'large']) await refusal(join(folder, name));
  await refusal('/dev/null');
  await refusal(join(folder, 'large', 'keys.json'));
});

test('follows a link to the file, and refuses one that leads nowhere', async () => {
  const folder = await makeFolder();
  await loadHostKeys(join(folder, 'keys.json'));
  await symlink('keys.json', join(folder, 'link'));
  await loadHostKeys(join(folder, 'link'));
  await symlink('nothing', join(folder, 'nowhere'));
  expect((await refusal(join(folder, 'nowhere'))).message).toContain('link');
});

test.each(['EPERM', 'ENOTSUP'])('does without links where the file system has none (%s)', async (code) => {
  const folder = await makeFolder();
  const file = join(folder, 'keys.json');
  const linkless = {
    ...nodeFiles,
    link: () => Promise.reject(Object.assign(new Error(code), { code })),
  };
  const made = await loadHostKeys(file, linkless);
  expect((await loadHostKeys(file)).signing.serverId).toBe(made.signing.serverId);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['keys.json']);
});

test.each([
  ['ENOSPC', 'disk is full'],
  ['EIO', 'EIO'],
])('leaves nothing behind when the disk fails with %s', async (code, words) => {
  const folder = await makeFolder();
  const failing = {
    ...nodeFiles,
    open: async (...args: Parameters<typeof nodeFiles.open>) => {
      const handle = await nodeFiles.open(...args);
      handle.sync = () => Promise.reject(Object.assign(new Error(code), { code }));
      return handle;
    },
  };
  await expect(loadHostKeys(join(folder, 'keys.json'), failing)).rejects.toThrow(words);
  expect(await readdir(folder)).toEqual([]);
});

test('leaves nothing behind when the disk fails where there are no links either', async () => {
  const folder = await makeFolder();
  let opened = 0;
  const failing = {
    ...nodeFiles,
    link: () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' })),
    open: async (...args: Parameters<typeof nodeFiles.open>) => {
      const handle = await nodeFiles.open(...args);
      opened += 1;
      // The draft can be written, the file itself cannot.
      if (opened === 2) handle.sync = () => Promise.reject(Object.assign(new Error(), { code: 'ENOSPC' }));
      return handle;
    },
  };
  await expect(loadHostKeys(join(folder, 'keys.json'), failing)).rejects.toThrow('disk is full');
  expect(await readdir(folder)).toEqual([]);
});

test('removes what killed processes left, and nothing that is being written', async () => {
  const folder = await makeFolder();
  const old = join(folder, '.keys.json.0011223344556677.new');
  const young = join(folder, '.keys.json.8899aabbccddeeff.new');
  const foreign = join(folder, '.other.json.8899aabbccddeeff.new');
  for (const file of [old, young, foreign]) await writeSecret(file, '{}');
  const longAgo = new Date(Date.now() - 61_000);
  await utimes(old, longAgo, longAgo);
  await utimes(foreign, longAgo, longAgo);
  await loadHostKeys(join(folder, 'keys.json'));
  expect(await readdir(folder)).toEqual([
    '.keys.json.8899aabbccddeeff.new',
    '.other.json.8899aabbccddeeff.new',
    'keys.json',
  ]);
});

test('does not mind a second name of its file', async () => {
  const folder = await makeFolder();
  const made = await loadHostKeys(join(folder, 'keys.json'));
  await link(join(folder, 'keys.json'), join(folder, '.keys.json.0011223344556677.new'));
  expect((await loadHostKeys(join(folder, 'keys.json'))).signing.serverId).toBe(made.signing.serverId);
});
