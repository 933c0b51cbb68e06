import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeApnsKey, makeServiceAccount } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { planCommand } from '../../../src/cli/plan-command.ts';
import { pushProgram } from '../support/programs.ts';

const PREFIX = 'OPENCHAMBER_PUSH_RELAY_';
const APNS = makeApnsKey();
const { json: JSON_TEXT } = makeServiceAccount();

type Variables = Readonly<Record<string, string>>;

function plan(variables: Variables): ReturnType<typeof planCommand> {
  const all = { APNS_KEY_ID: APNS.keyId, APNS_TEAM_ID: APNS.teamId, APNS_P8: APNS.p8, ...variables };
  const env = Object.fromEntries(Object.entries(all).map(([name, value]) => [PREFIX + name, value]));
  return planCommand(pushProgram, { argv: [], env });
}

function accountOf(variables: Variables): unknown {
  const planned = plan(variables);
  if (planned.action !== 'serve') throw new Error(JSON.stringify(planned));
  return (planned.config as { readonly fcmServiceAccountJson?: string }).fcmServiceAccountJson;
}

function problemOf(variables: Variables): string {
  const planned = plan(variables);
  if (planned.action !== 'refuse') throw new Error('accepted');
  return planned.problem;
}

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'push-account-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'account.json');
  writeFileSync(path, text);
  return path;
}

function changed(members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...(JSON.parse(JSON_TEXT) as object), ...members });
}

describe('the service account', () => {
  it('is taken from the variable, with the quotes of an env file or without', () => {
    expect(accountOf({ FCM_SERVICE_ACCOUNT_JSON: JSON_TEXT })).toBe(JSON_TEXT);
    expect(accountOf({ FCM_SERVICE_ACCOUNT_JSON: ` '${JSON_TEXT}' ` })).toBe(JSON_TEXT);
  });

  it('is taken from the file', () => {
    expect(accountOf({ FCM_SERVICE_ACCOUNT_PATH: file(`${JSON_TEXT}\n`) })).toBe(JSON_TEXT);
  });

  it('is not needed', () => {
    expect(accountOf({})).toBeUndefined();
    expect(accountOf({ FCM_SERVICE_ACCOUNT_JSON: ' ', FCM_SERVICE_ACCOUNT_PATH: '' })).toBeUndefined();
  });

  it('is not taken from both', () => {
    expect(problemOf({ FCM_SERVICE_ACCOUNT_JSON: JSON_TEXT, FCM_SERVICE_ACCOUNT_PATH: '/a.json' })).toBe(
      `Invalid ${PREFIX}FCM_SERVICE_ACCOUNT_PATH: expected no value beside ${PREFIX}FCM_SERVICE_ACCOUNT_JSON; ` +
        'set one of the two',
    );
  });

  it('that cannot be read stops the start', () => {
    expect(problemOf({ FCM_SERVICE_ACCOUNT_PATH: '/nowhere/account.json' })).toContain(
      'expected a file that can be read, got "/nowhere/account.json"; no such file or directory (ENOENT)',
    );
  });

  it.each([
    ['it is no JSON object', 'not JSON at all'],
    ['its "type" is not "service_account"', changed({ type: 'authorized_user' })],
    ['it has no usable "project_id"', changed({ project_id: '' })],
    ['its "private_key" is cut off', changed({ private_key: '-----BEGIN PRIVATE KEY-----\nMIIE' })],
    [
      'its "private_key" is no RSA key',
      changed({
        private_key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
          type: 'pkcs8',
          format: 'pem',
        }),
      }),
    ],
  ])('stops the start when %s, and says so without a letter of it', (problem, text) => {
    const inline = problemOf({ FCM_SERVICE_ACCOUNT_JSON: text });
    expect(inline).toBe(
      `Invalid ${PREFIX}FCM_SERVICE_ACCOUNT_JSON: expected the JSON of a service account of Google; ${problem}`,
    );
    const path = file(text);
    expect(problemOf({ FCM_SERVICE_ACCOUNT_PATH: path })).toBe(
      `Invalid ${PREFIX}FCM_SERVICE_ACCOUNT_PATH: expected a file that holds the JSON of a service account of ` +
        `Google, got "${path}"; ${problem}`,
    );
  });

  it.each(['FCM_URL', 'FCM_TOKEN_URL'])('goes nowhere without TLS: %s', (name) => {
    expect(problemOf({ [name]: 'http://example.com' })).toContain('expected an https:// URL');
    expect(problemOf({ [name]: 'https://user:secret@example.com' })).not.toContain('secret');
  });
});
