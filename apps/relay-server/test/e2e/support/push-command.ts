import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeApnsKey, PUSH_PREFIX } from '@openchambery/testkit';
import { expect, onTestFinished } from 'vitest';

export type Variables = Readonly<Record<string, string>>;

/** Everything about push that has no default, and a database of the current test; without the prefix. */
export function neededVariables(): Variables {
  const { keyId, teamId, p8 } = makeApnsKey();
  return {
    APNS_KEY_ID: keyId,
    APNS_TEAM_ID: teamId,
    APNS_P8: p8,
    DATABASE_PATH: join(temporaryFolder(), 'data', 'push.sqlite'),
  };
}

/** As the environment has them: for the relay, whose own prefix is another. */
export function withPushPrefix(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [PUSH_PREFIX + name, value]));
}

/** A folder for the current test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'push-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The only line of a text. */
export function onlyLine(text: string): string {
  expect(text.endsWith('\n'), JSON.stringify(text)).toBe(true);
  const lines = text.slice(0, -1).split('\n');
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}
