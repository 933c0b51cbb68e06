import { generateKeyPairSync } from 'node:crypto';
import { silentLogger, systemClock } from '@openchambery/daemon';
import { FakeClock, makeApnsKey } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { PushOptionError } from '../../src/options/push-option-error.ts';
import { type PushOptions, resolvePushOptions } from '../../src/options/push-options.ts';
import { RecordingLogger } from '../support/recording-logger.ts';

const { p8, keyId, teamId } = makeApnsKey();
const REQUIRED = { apnsKeyId: keyId, apnsTeamId: teamId, apnsP8: p8 };

function resolve(options: PushOptions = {}): ReturnType<typeof resolvePushOptions> {
  return resolvePushOptions({ ...REQUIRED, ...options });
}

function faultOf(options: object): PushOptionError {
  try {
    resolvePushOptions({ ...REQUIRED, ...options });
  } catch (error) {
    if (error instanceof PushOptionError) return error;
    throw error;
  }
  throw new Error('accepted');
}

describe('the options', () => {
  it('have the defaults of the contract', () => {
    expect(resolve()).toMatchObject({
      host: '127.0.0.1',
      port: 8788,
      trustProxy: false,
      databasePath: './data/push-relay.sqlite',
      apnsBundleId: 'com.yee94.openchamber',
      apnsProductionUrl: 'https://api.push.apple.com',
      apnsSandboxUrl: 'https://api.sandbox.push.apple.com',
      limits: { maxTokens: 100_000 },
    });
    expect([resolve().clock, resolve().logger]).toEqual([systemClock, silentLogger]);
  });

  it('are not hidden by undefined', () => {
    const nothing = Object.fromEntries(
      Object.keys(resolve())
        .filter((name) => !(name in REQUIRED))
        .map((name) => [name, undefined]),
    );
    expect(resolve(nothing)).toEqual(resolve());
  });

  it.each([3, 2_147_483_647])('take an inherited socket: descriptor %d', (listenFd) => {
    expect([resolve().listenFd, resolve({ listenFd }).listenFd]).toEqual([undefined, listenFd]);
  });

  it.each([2, -1, 3.5, 2_147_483_648, '3', null])('take no inherited socket from %j', (listenFd) => {
    expect(faultOf({ listenFd })).toMatchObject({
      code: 'ERR_PUSH_OPTION',
      option: 'listenFd',
      expected: 'the file descriptor of a listening TCP socket, 3 or more',
    });
  });

  it('are taken as given', () => {
    const given = {
      host: '::',
      port: 0,
      trustProxy: true,
      databasePath: '/var/lib/push.sqlite',
      apnsBundleId: 'org.example.App-1',
      apnsProductionUrl: 'https://proxy.example:2197',
      apnsSandboxUrl: 'http://127.0.0.1:9000',
      clock: new FakeClock(),
      logger: new RecordingLogger(),
    };
    expect(resolve({ ...given, limits: { maxTokens: 5 } })).toMatchObject({
      ...REQUIRED,
      ...given,
      apnsP8: p8.trim(),
      limits: { maxTokens: 5, maxInFlight: 64 },
    });
  });

  it('say which is at fault, what is allowed and what it was', () => {
    expect(faultOf({ port: 65_536 })).toMatchObject({
      name: 'PushOptionError',
      code: 'ERR_PUSH_OPTION',
      option: 'port',
      message: 'Invalid option port: expected an integer from 0 to 65535, got 65536',
    });
  });
});

describe.each<[keyof PushOptions, unknown[], unknown[]]>([
  ['port', [0, 1, 65_535], [-1, 65_536, 1.5, '8788', null, Number.NaN]],
  ['host', ['::1', 'localhost', '0.0.0.0'], ['', '[::1]', 'a b', null, 5]],
  ['trustProxy', [true, false], ['true', 1, null]],
  ['databasePath', ['a', '/a/b.sqlite', ':memory:'], ['', 'a\0b', null, 5]],
  [
    'apnsKeyId',
    ['A', 'ABC123DEFG', 'a'.repeat(64)],
    [undefined, null, '', 'a b', 'ä', 'a\n', 'a"', 'a'.repeat(65), 5],
  ],
  [
    'apnsTeamId',
    ['A', 'ABC123DEFG', 'a'.repeat(64)],
    [undefined, null, '', 'a b', 'ä', 'a\n', 'a.b', 'a'.repeat(65)],
  ],
  [
    'apnsBundleId',
    ['a', 'com.example.App-2', 'a'.repeat(155)],
    [null, '', 'a b', 'a_b', 'ä', 'a\n', 'a'.repeat(156)],
  ],
])('%s', (name, good, bad) => {
  it('may be what it should', () => {
    for (const value of good) expect(resolve({ [name]: value })[name as 'port']).toBe(value);
  });

  it('may not be anything else', () => {
    for (const value of bad) expect(faultOf({ [name]: value }).option).toBe(name);
  });
});

describe('an option without a default', () => {
  it.each(['apnsKeyId', 'apnsTeamId', 'apnsP8'])('%s is missed', (name) => {
    expect(faultOf({ [name]: undefined })).toMatchObject({
      option: name,
      got: expect.stringMatching(/none|undefined/),
    });
  });
});

describe.each(['apnsProductionUrl', 'apnsSandboxUrl'] as const)('%s', (name) => {
  it.each([
    'https://api.push.apple.com',
    'https://api.push.apple.com:2197',
    'https://api.push.apple.com/',
    'https://192.0.2.1',
    'https://[2001:db8::1]:443',
    'http://localhost:1234',
    'http://127.0.0.1:1234',
    'http://[::1]:1234',
  ])('may be %s', (url) => {
    expect(resolve({ [name]: url })[name]).toBe(url);
  });

  it.each([
    '',
    'api.push.apple.com',
    '/api',
    'http://api.push.apple.com',
    'http://localhost.example',
    'http://127.0.0.2.example',
    'ws://localhost',
    'file:///etc/passwd',
    'https://secret@api.push.apple.com',
    'https://u:secret@api.push.apple.com',
    'https://u:secret@host:99999',
    'https://api.push.apple.com?key=secret',
    'https://api.push.apple.com?',
    'https://api.push.apple.com#secret',
    'https://api.push.apple.com#',
    'https://',
    ' secret ',
    null,
    5,
  ])('may not be %j, and no secret in it is repeated', (url) => {
    const error = faultOf({ [name]: url });
    expect(error.option).toBe(name);
    expect(`${error.message} ${error.got} ${error.stack}`).not.toContain('secret');
  });
});

describe('the key', () => {
  it('may have literal line ends, blanks around it, and Windows line ends', () => {
    for (const text of [
      p8.replaceAll('\n', '\\n'),
      `\n  ${p8}\n\n`,
      p8.replaceAll('\n', '\r\n'),
      p8.trim(),
    ]) {
      expect(resolve({ apnsP8: text }).apnsP8).toContain('-----BEGIN PRIVATE KEY-----\n'.trim());
    }
    expect(resolve({ apnsP8: p8.replaceAll('\n', '\\n') }).apnsP8).toBe(p8.trim());
  });

  const pem = (namedCurve: string, type: 'pkcs8' | 'sec1'): string =>
    generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type, format: 'pem' }).toString();
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const publicPem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString();

  it.each([
    ['nothing', ''],
    ['a path', '/etc/keys/AuthKey_ABC.p8'],
    ['another curve', pem('P-384', 'pkcs8')],
    ['the older form', pem('P-256', 'sec1')],
    ['a key of another type', rsa.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['a public key', publicPem],
    ['half a key', p8.slice(0, 120)],
    ['a key with a hole', `${p8.slice(0, 50)}${p8.slice(70)}`],
    ['a key without its first line', p8.split('\n').slice(1).join('\n')],
    ['no text', 5],
    ['null', null],
  ])('may not be %s, and nothing of it is repeated', (_, text) => {
    const error = faultOf({ apnsP8: text });
    expect(error).toMatchObject({ option: 'apnsP8', code: 'ERR_PUSH_OPTION' });
    const said = [error.message, error.got, error.expected, error.stack, String(error.cause)].join('\n');
    for (const line of String(text).split(/\r?\n/)) {
      if (line.length >= 16 && !line.startsWith('-----')) expect(said).not.toContain(line.slice(0, 16));
    }
    expect(said).not.toContain('AuthKey_ABC');
  });
});
