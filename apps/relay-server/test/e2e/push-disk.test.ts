import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDeviceToken, makeIdentity, registerRequest } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { expectOk, expectRefused, post, postText, reaches } from './support/push-http.ts';
import { ownSurroundings, startAmong } from './support/push-setup.ts';

// Push API §1 (500 `internal`) and §2: a disk that is full costs what is new, never what was acknowledged.

/** No file may grow beyond this; SQLite meets it as it meets the end of a disk. */
const MAX_FILE_KILOBYTES = 512;
const name = 'openchamber-push-relay';
const own = fileURLToPath(new URL(`../../../../node_modules/.bin/${name}`, import.meta.url));
const command = process.env['OPENCHAMBER_PUSH_RELAY_COMMAND'] ?? own;

describe('a disk that is full', () => {
  it('answers 500, goes on, and loses no registration that was acknowledged', async () => {
    const surroundings = await ownSurroundings();
    const script = join(dirname(dirname(surroundings.databasePath)), 'limited.sh');
    // POSIX: blocks of 512 bytes. The command in place of the shell, so that signals reach it.
    const lines = ['#!/bin/sh', `ulimit -f ${2 * MAX_FILE_KILOBYTES}`, `exec "${command}" "$@"`];
    writeFileSync(script, `${lines.join('\n')}\n`);
    chmodSync(script, 0o755);
    const limited = await startAmong(surroundings, { command: script });
    const identity = makeIdentity();
    const acknowledged: string[] = [];
    for (let isFull = false; !isFull; ) {
      const tokens = Array.from({ length: 50 }, () => makeDeviceToken(256));
      const answers = await Promise.all(
        tokens.map((token) => post(limited, registerRequest(identity, token))),
      );
      for (const [index, answer] of answers.entries()) {
        if (answer.status === 200) {
          expectOk(answer);
          acknowledged.push(tokens[index] ?? '');
        } else {
          expectRefused(answer, 500, 'internal');
          isFull = true;
        }
      }
      expect(acknowledged.length, 'the disk does not fill up').toBeLessThan(5000);
    }
    expect(acknowledged.length).toBeGreaterThan(0);
    expect((await postText(limited, '/healthz', '', { method: 'GET' })).status).toBe(200);
    limited.push.kill('SIGKILL');
    await limited.push.exited;
    const setup = await startAmong(surroundings);
    const some = acknowledged.filter((_, index) => index % 10 === 0).concat(acknowledged.slice(-10));
    for (const token of some) expect(await reaches(setup, identity, token)).toBe(true);
    expectOk(await post(setup, registerRequest(identity, makeDeviceToken())));
  });
});
