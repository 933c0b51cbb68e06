import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeApnsKey, PUSH_PREFIX, runPush, startPush } from '@openchambery/testkit';
import type { PushCommandOptions } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { neededVariables, onlyLine, temporaryFolder } from './support/push-command.ts';

// Push API §5, Layer 1 §8: what stops the start is exit code 1 and one line on stderr that helps.

/** The one line on stderr with which the command refuses to start. */
async function complaint({ limits = {}, ...options }: PushCommandOptions): Promise<string> {
  const { code, stdout, stderr } = await runPush({ ...options, limits: { ...neededVariables(), ...limits } });
  expect([code, stdout], stderr).toEqual([1, '']);
  const line = onlyLine(stderr);
  expect(line).toMatch(/^[\x20-\x7e]+$/u);
  return line;
}

describe('a bad setting', () => {
  it.each<[string, PushCommandOptions, string]>([
    [
      'a variable',
      { limits: { PORT: '0' } },
      `Invalid ${PUSH_PREFIX}PORT: expected an integer from 1 to 65535, got "0"`,
    ],
    ['a flag', { args: ['--port', '0'] }, 'Invalid --port: expected an integer from 1 to 65535, got "0"'],
    [
      'limits that contradict each other',
      { limits: { REPLAY_MS: 599_999 } },
      `Invalid ${PUSH_PREFIX}REPLAY_MS: expected at least 2 x ${PUSH_PREFIX}TIMESTAMP_SKEW_MS (600000), got "599999"`,
    ],
    [
      'a missing value',
      { limits: { APNS_KEY_ID: '' } },
      `Invalid ${PUSH_PREFIX}APNS_KEY_ID: expected the key's id, letters and digits, got none`,
    ],
    [
      'a missing file of the key',
      { limits: { APNS_P8: '', APNS_P8_PATH: '/nowhere/key.p8' } },
      `Invalid ${PUSH_PREFIX}APNS_P8_PATH: expected a file that can be read, got "/nowhere/key.p8"; ` +
        'no such file or directory (ENOENT)',
    ],
    [
      'two keys',
      { limits: { APNS_P8_PATH: '/key.p8' } },
      `Invalid ${PUSH_PREFIX}APNS_P8_PATH: expected no value beside ${PUSH_PREFIX}APNS_P8; set one of the two`,
    ],
  ])('is refused: %s', async (_what, options, line) => {
    expect(await complaint(options)).toBe(line);
  });

  it.each(['--path', '--public-url', '--nope'])('is the flag %s', async (flag) => {
    expect(await complaint({ args: [flag] })).toContain(`Unknown option "${flag}"`);
  });

  it('that is the key is not repeated', async () => {
    const { p8 } = makeApnsKey();
    const line = await complaint({ limits: { APNS_P8: p8.slice(0, -40) } });
    expect(line).toMatch(/^Invalid OPENCHAMBER_PUSH_RELAY_APNS_P8: expected an APNs signing key/u);
    for (const part of p8.split('\n').slice(1, 3)) expect(line).not.toContain(part.slice(0, 12));
  });

  it('is an error line on stdout with --json', async () => {
    const { code, stdout, stderr } = await runPush({ args: ['--json'], limits: {} });
    expect(code).toBe(1);
    const error = `Invalid ${PUSH_PREFIX}APNS_KEY_ID: expected the key's id, letters and digits, got none`;
    expect(JSON.parse(onlyLine(stdout))).toEqual({ status: 'error', error });
    expect(onlyLine(stderr)).toBe(error);
  });
});

describe('the key', () => {
  it('may come from a file, or with literal \\n', async () => {
    const needed = neededVariables();
    const file = join(temporaryFolder(), 'AuthKey.p8');
    writeFileSync(file, needed['APNS_P8'] ?? '');
    const fromFile = await startPush({ limits: { ...needed, APNS_P8: '', APNS_P8_PATH: file } });
    await fromFile.stop();
    const inline = (needed['APNS_P8'] ?? '').replaceAll('\n', String.raw`\n`);
    const push = await startPush({ limits: { ...needed, APNS_P8: inline } });
    await push.stop();
  });
});

describe('a port in use', () => {
  it('is one line that names it and what to change', async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    expect(await complaint({ args: ['--port', String(port)] })).toBe(
      `Cannot listen on 127.0.0.1:${port}: the address is already in use; stop the other program or ` +
        `change --port or ${PUSH_PREFIX}PORT (EADDRINUSE)`,
    );
  });
});

describe('a database that cannot be used', () => {
  it.each<[string, (folder: string) => string]>([
    [
      'a folder',
      (folder) => {
        mkdirSync(join(folder, 'db'));
        return join(folder, 'db');
      },
    ],
    [
      'another kind of file',
      (folder) => {
        writeFileSync(join(folder, 'db'), 'not a database, but long enough to be looked at. '.repeat(100));
        return join(folder, 'db');
      },
    ],
    ['a path through a device', () => '/dev/null/db'],
  ])('is one line that names file, reason and variable: %s', async (_what, prepare) => {
    const path = prepare(temporaryFolder());
    const line = await complaint({ limits: { DATABASE_PATH: path } });
    expect(line).toContain(path);
    expect(line).toContain(`${PUSH_PREFIX}DATABASE_PATH`);
  });

  it('is one that another process has open', async () => {
    const limits = neededVariables();
    const first = await startPush({ limits });
    onTestFinished(() => first.stop());
    const line = await complaint({ limits });
    expect(line).toContain(limits['DATABASE_PATH']);
  });
});
