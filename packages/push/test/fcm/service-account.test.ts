import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseServiceAccount } from '../../src/fcm/service-account.ts';
import { ACCOUNT } from './rig.ts';

const GOOD = JSON.parse(ACCOUNT.json) as Record<string, unknown>;

function problemOf(changes: Record<string, unknown>): string {
  const parsed = parseServiceAccount(JSON.stringify({ ...GOOD, ...changes }));
  return parsed.kind === 'account' ? 'none' : parsed.problem;
}

function pem(type: 'ec' | 'rsa', bits: number): string {
  const { privateKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: bits });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

describe('a service account', () => {
  it('is read', () => {
    const parsed = parseServiceAccount(ACCOUNT.json);
    expect(parsed).toMatchObject({
      kind: 'account',
      account: { projectId: ACCOUNT.projectId, clientEmail: ACCOUNT.clientEmail, tokenUri: ACCOUNT.tokenUri },
    });
  });

  it.each(['', '[]', 'null', '{', '"x"', 'not json'])('is no %j', (text) => {
    expect(parseServiceAccount(text)).toEqual({ kind: 'bad-account', problem: 'it is no JSON object' });
  });

  it.each([
    [{ type: 'authorized_user' }, '"type"'],
    [{ client_email: undefined }, '"client_email"'],
    [{ client_email: 'a b@c' }, '"client_email"'],
    [{ project_id: undefined }, '"project_id"'],
    [{ project_id: '../other' }, '"project_id"'],
    [{ token_uri: 'http://example.com' }, '"token_uri"'],
    [{ token_uri: 7 }, '"token_uri"'],
    [{ private_key: undefined }, 'has no "private_key"'],
    [{ private_key: 'x' }, 'not PKCS#8'],
    [{ private_key: '-----BEGIN PRIVATE KEY-----\nx' }, 'cut off'],
    [{ private_key: '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----' }, 'not PKCS#8'],
    [{ private_key: pem('ec', 0) }, 'no RSA key'],
    [{ private_key: pem('rsa', 1024) }, '1024 bits'],
  ])('with %j says what is wrong', (changes, problem) => {
    expect(problemOf(changes)).toContain(problem);
  });

  it('gets the usual place for tokens when it names none', () => {
    const parsed = parseServiceAccount(JSON.stringify({ ...GOOD, token_uri: undefined }));
    expect(parsed).toMatchObject({ account: { tokenUri: 'https://oauth2.googleapis.com/token' } });
  });
});
