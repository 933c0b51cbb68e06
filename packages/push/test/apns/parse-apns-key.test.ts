import { generateKeyPairSync } from 'node:crypto';
import { silentLogger, systemClock } from '@openchambery/daemon';
import { makeApnsKey } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { createApnsProvider } from '../../src/apns/create-apns-provider.ts';
import { parseApnsKey } from '../../src/apns/parse-apns-key.ts';
import { PushOptionError } from '../../src/options/push-option-error.ts';

const good = makeApnsKey().p8;
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const ed = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

const BAD: readonly [string, string, RegExp][] = [
  ['nothing', '', /not PEM/],
  ['base64 alone', good.split('\n').slice(1, -2).join(''), /not PEM/],
  ['a cut-off file', good.slice(0, 80), /cut off/],
  ['damaged base64', good.replace(/\n[A-Za-z0-9]{8}/, '\n!!!!!!!!'), /not a PKCS#8 private key/],
  ['truncated DER', good.replace(/\n.*\n-----END/, '\n-----END'), /not a PKCS#8 private key/],
  ['SEC 1', p256.privateKey.export({ type: 'sec1', format: 'pem' }).toString(), /SEC 1/],
  ['a public key', p256.publicKey.export({ type: 'spki', format: 'pem' }).toString(), /public key/],
  ['P-384', p384.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), /secp384r1, not P-256/],
  ['Ed25519', ed.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), /ed25519, not EC/],
  ['RSA', rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), /rsa, not EC/],
  [
    'an encrypted key',
    p256.privateKey
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
      .toString(),
    /encrypted/,
  ],
  ['a certificate', '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n', /certificate/],
];

describe('parseApnsKey', () => {
  it('takes the file Apple hands out', () => {
    const result = parseApnsKey(good);
    expect(result.kind).toBe('key');
  });

  it('takes it with CRLF and blanks around it', () => {
    expect(parseApnsKey(`\n  \n${good.replaceAll('\n', '\r\n')}\n\n`).kind).toBe('key');
  });

  for (const [name, pem, problem] of BAD) {
    it(`says what is wrong with ${name}, without a letter of it`, () => {
      const result = parseApnsKey(pem);
      if (result.kind !== 'bad-key') throw new Error('the key was taken');
      expect(result.problem).toMatch(problem);
      for (const line of pem.split('\n').filter((text) => text.length > 12 && !text.startsWith('-----'))) {
        expect(result.problem).not.toContain(line);
      }
    });
  }
});

describe('createApnsProvider', () => {
  const options = {
    keyId: 'K',
    teamId: 'T',
    bundleId: 'b',
    key: good,
    urls: { production: 'https://localhost', sandbox: 'https://localhost' },
    clock: systemClock,
    logger: silentLogger,
    hash: () => '',
  };

  it('refuses a bad key and a bad URL by name', () => {
    expect(() => createApnsProvider({ ...options, key: 'x' })).toThrow(PushOptionError);
    expect(() => createApnsProvider({ ...options, key: 'x' })).toThrow(/option key/);
    const urls = { production: 'https://localhost', sandbox: 'ftp://localhost' };
    expect(() => createApnsProvider({ ...options, urls })).toThrow(/urls\.sandbox.*ftp:/);
    expect(() => createApnsProvider({ ...options, urls: { ...urls, sandbox: 'nowhere' } })).toThrow(
      /urls\.sandbox/,
    );
  });

  it('opens nothing before the first push', async () => {
    const provider = createApnsProvider(options);
    expect(provider.snapshot().sandbox).toMatchObject({
      state: 'idle',
      fault: undefined,
      sessionsOpenedCount: 0,
      mintedCount: 0,
    });
    await provider.close();
  });
});
