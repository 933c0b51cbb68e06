import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PUSH_DEFAULTS, PUSH_LIMITS } from '@openchambery/push/options';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { planCommand } from '../../../src/cli/plan-command.ts';
import type { Plan } from '../../../src/cli/plan-command.ts';
import type { PushConfig } from '../../../src/push/resolve-config.ts';
import { pushProgram } from '../support/programs.ts';

const PREFIX = 'OPENCHAMBER_PUSH_RELAY_';
const SETTINGS = pushProgram.table.settings;
const P8 = makeP8('P-256');

type Variables = Readonly<Record<string, string>>;

const NEEDED: Variables = { APNS_KEY_ID: 'KEY1234567', APNS_TEAM_ID: 'TEAM123456', APNS_P8: P8 };

function makeP8(namedCurve: string): string {
  return generateKeyPairSync('ec', { namedCurve }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string;
}

/** What the lines of a PEM hold. */
function partsOf(pem: string): readonly string[] {
  return pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
}

function plan(line: string, variables: Variables = {}): Plan<PushConfig> {
  const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [PREFIX + name, value]));
  return planCommand(pushProgram, { argv: line === '' ? [] : line.split(' '), env });
}

function configOf(line: string, variables: Variables = {}): PushConfig {
  const planned = plan(line, { ...NEEDED, ...variables });
  if (planned.action !== 'serve') throw new Error(JSON.stringify(planned));
  return planned.config;
}

/** The problem when only `variables` are set. */
function problemOfAlone(line: string, variables: Variables): string {
  const planned = plan(line, variables);
  if (planned.action !== 'refuse') throw new Error(`accepted ${line}`);
  expect(planned.problem).toMatch(/^[\x20-\x7e]{1,1000}$/);
  for (const part of partsOf(P8)) expect(planned.problem).not.toContain(part.slice(0, 16));
  return planned.problem;
}

function problemOf(line: string, variables: Variables = {}): string {
  return problemOfAlone(line, { ...NEEDED, ...variables });
}

function temporaryFile(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'push-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('precedence', () => {
  it('starts with the defaults of the contract', () => {
    expect(configOf('')).toEqual({
      host: '127.0.0.1',
      port: 8788,
      trustProxy: false,
      databasePath: './data/push-relay.sqlite',
      apnsKeyId: 'KEY1234567',
      apnsTeamId: 'TEAM123456',
      apnsBundleId: 'com.yee94.openchamber',
      apnsP8: P8.trim(),
      apnsProductionUrl: 'https://api.push.apple.com',
      apnsSandboxUrl: 'https://api.sandbox.push.apple.com',
      fcmServiceAccountJson: undefined,
      fcmUrl: 'https://fcm.googleapis.com',
      fcmTokenUrl: undefined,
      logLevel: 'info',
      limits: {
        timestampSkewMs: 300_000,
        replayMs: 600_000,
        maxReplayEntries: 10_000,
        registerLimitPerMinute: 60,
        sendLimitPerMinute: 60,
        serverSendLimitPerMinute: 120,
        maxTokens: 100_000,
        maxInFlight: 64,
      },
    });
  });

  it.each<[string, string, Partial<PushConfig>]>([
    ['HOST', '::1', { host: '::1' }],
    ['PORT', '1', { port: 1 }],
    ['PORT', '65535', { port: 65_535 }],
    ['TRUST_PROXY', '1', { trustProxy: true }],
    ['TRUST_PROXY', 'true', { trustProxy: true }],
    ['TRUST_PROXY', '0', { trustProxy: false }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['DATABASE_PATH', '/var/lib/push.db', { databasePath: '/var/lib/push.db' }],
    ['APNS_BUNDLE_ID', 'org.example.app', { apnsBundleId: 'org.example.app' }],
    ['APNS_PRODUCTION_URL', 'https://127.0.0.1:1', { apnsProductionUrl: 'https://127.0.0.1:1' }],
    ['APNS_SANDBOX_URL', 'https://127.0.0.1:2', { apnsSandboxUrl: 'https://127.0.0.1:2' }],
    ['FCM_URL', 'https://127.0.0.1:3', { fcmUrl: 'https://127.0.0.1:3' }],
    ['FCM_TOKEN_URL', 'https://127.0.0.1:4', { fcmTokenUrl: 'https://127.0.0.1:4' }],
  ])('puts %s=%s before the default', (name, value, expected) => {
    expect(configOf('', { [name]: value })).toMatchObject(expected);
  });

  it.each(Object.keys(PUSH_LIMITS))('puts the variable of %s before the default', (option) => {
    const setting = SETTINGS.find((each) => each.option === option);
    const name = setting?.variable.slice(PREFIX.length) ?? '';
    const value = option === 'timestampSkewMs' ? 299_999 : 600_001;
    expect(configOf('', { [name]: String(Math.min(value, maxOf(option))) }).limits).toMatchObject({
      [option]: Math.min(value, maxOf(option)),
    });
  });

  function maxOf(option: string): number {
    return PUSH_LIMITS[option as keyof typeof PUSH_LIMITS].max;
  }

  it('puts flags before variables', () => {
    const variables = { HOST: 'h', PORT: '1', TRUST_PROXY: 'true' };
    expect(configOf('--host ::1 --port 65535 --no-trust-proxy', variables)).toMatchObject({
      host: '::1',
      port: 65_535,
      trustProxy: false,
    });
  });

  it('never looks at a bad variable behind a flag', () => {
    const variables = { HOST: '[', PORT: 'no', TRUST_PROXY: 'no' };
    expect(configOf('--host h --port 9 --trust-proxy', variables)).toMatchObject({
      port: 9,
      trustProxy: true,
    });
  });

  it.each(['', ' ', '\t\n'])('counts the blank variable %j as unset', (blank) => {
    const names = SETTINGS.map(({ variable }) => variable.slice(PREFIX.length));
    const optional = names.filter((name) => !(name in NEEDED));
    expect(configOf('', Object.fromEntries(optional.map((name) => [name, blank])))).toEqual(configOf(''));
  });

  it('is told truthfully by the table', () => {
    for (const [option, value] of Object.entries(PUSH_DEFAULTS)) {
      expect(SETTINGS.find((setting) => setting.option === option)?.defaultText).toBe(String(value));
    }
  });
});

describe('a bad value', () => {
  it.each([
    ['PORT', '0', 'an integer from 1 to 65535'],
    ['PORT', '65536', 'an integer from 1 to 65535'],
    ['TRUST_PROXY', 'yes', 'true, 1, false or 0'],
    ['LOG_LEVEL', 'loud', 'one of trace, debug, info, warn, error, fatal, silent'],
    ['HOST', '[::1]', 'a host name or an IP address without brackets'],
    ['APNS_KEY_ID', 'no spaces', "the key's id, letters and digits"],
    ['APNS_TEAM_ID', 'no.dots', "the team's id, letters and digits"],
    ['APNS_BUNDLE_ID', 'a/b', 'a bundle ID: letters, digits, "." and "-"'],
    [
      'APNS_PRODUCTION_URL',
      'http://example.org',
      'an https:// URL without user, query and fragment (http:// only for this machine)',
    ],
    [
      'APNS_SANDBOX_URL',
      'nonsense',
      'an https:// URL without user, query and fragment (http:// only for this machine)',
    ],
  ])('%s=%s names the variable, what is allowed and what it got', (name, value, expected) => {
    expect(problemOf('', { [name]: value })).toBe(
      `Invalid ${PREFIX}${name}: expected ${expected}, got "${value}"`,
    );
  });

  it.each(Object.entries(PUSH_LIMITS))('of the limit %s names its bounds', (option, { min, max }) => {
    const variable = SETTINGS.find((each) => each.option === option)?.variable ?? '';
    for (const value of [String(min - 1), String(max + 1), '1.5', 'many']) {
      expect(problemOf('', { [variable.slice(PREFIX.length)]: value })).toBe(
        `Invalid ${variable}: expected an integer from ${min} to ${max}, got "${value}"`,
      );
    }
  });

  it.each([
    ['--port 0', 'Invalid --port: expected an integer from 1 to 65535, got "0"'],
    ['--port', 'Invalid --port: expected a value, got none'],
    ['--host=', 'Invalid --host: expected a host name or an IP address without brackets, got ""'],
    ['--trust-proxy=maybe', 'Invalid --trust-proxy: expected no value, got "maybe"'],
    [
      '--path /ws',
      'Unknown option "--path": expected one of --host, --port, --trust-proxy, --no-trust-proxy, --json, --quiet, --help, --version',
    ],
  ])('%s names the flag', (line, problem) => {
    expect(problemOf(line).replace(/; did you mean --[a-z-]+\?$/, '')).toBe(problem);
  });

  it('of a URL is not repeated when it may hold a password', () => {
    const problem = problemOf('', { APNS_PRODUCTION_URL: 'https://user:pass-word@example.org' });
    expect(problem).toMatch(/^Invalid OPENCHAMBER_PUSH_RELAY_APNS_PRODUCTION_URL: expected an https:/);
    expect(problem).not.toContain('pass-word');
  });

  it('names both limits that contradict each other', () => {
    expect(problemOf('', { TIMESTAMP_SKEW_MS: '300001' })).toBe(
      `Invalid ${PREFIX}REPLAY_MS: expected at least 2 x ${PREFIX}TIMESTAMP_SKEW_MS (600002), got 600000 (the default)`,
    );
    expect(problemOf('', { TIMESTAMP_SKEW_MS: '1000', REPLAY_MS: '1999' })).toBe(
      `Invalid ${PREFIX}REPLAY_MS: expected at least 2 x ${PREFIX}TIMESTAMP_SKEW_MS (2000), got "1999"`,
    );
    expect(configOf('', { TIMESTAMP_SKEW_MS: '1000', REPLAY_MS: '2000' }).limits.replayMs).toBe(2000);
  });
});

describe('a value that is missing', () => {
  it.each([
    ['APNS_KEY_ID', "the key's id, letters and digits"],
    ['APNS_TEAM_ID', "the team's id, letters and digits"],
  ])('%s is named', (name, expected) => {
    expect(problemOf('', { [name]: ' ' })).toBe(`Invalid ${PREFIX}${name}: expected ${expected}, got none`);
  });

  it('APNS_P8 is named together with APNS_P8_PATH', () => {
    expect(problemOf('', { APNS_P8: '' })).toBe(
      `Invalid ${PREFIX}APNS_P8: expected an APNs signing key: an EC P-256 private key in PKCS#8 PEM ` +
        `(or its file in ${PREFIX}APNS_P8_PATH), got none`,
    );
  });
});

describe('the key', () => {
  it('may have literal \\n for its line ends', () => {
    expect(configOf('', { APNS_P8: P8.replaceAll('\n', String.raw`\n`) }).apnsP8).toBe(P8.trim());
  });

  it.each<[string, string]>([
    ['literal \\r\\n', P8.replaceAll('\n', String.raw`\r\n`)],
    ['double quotes', `"${P8.replaceAll('\n', String.raw`\n`)}"`],
    ['single quotes and blanks', ` '${P8}' `],
  ])('may have %s, as a shell or Docker may leave it', (_what, text) => {
    expect(configOf('', { APNS_P8: text }).apnsP8.trim()).toBe(P8.trim());
  });

  it('may come from a file', () => {
    const file = temporaryFile('AuthKey.p8', P8);
    expect(configOf('', { APNS_P8: '', APNS_P8_PATH: file }).apnsP8).toBe(P8.trim());
  });

  it('must not come from both', () => {
    expect(problemOf('', { APNS_P8_PATH: '/key.p8' })).toBe(
      `Invalid ${PREFIX}APNS_P8_PATH: expected no value beside ${PREFIX}APNS_P8; set one of the two`,
    );
  });

  it.each([
    ['no PEM', 'it is not PEM: no "-----BEGIN PRIVATE KEY-----" line'],
    [makeP8('P-384'), 'its curve is secp384r1, not P-256'],
    [P8.slice(0, 60), 'it is cut off: no "-----END PRIVATE KEY-----" line'],
  ])('is never repeated, what is wrong with it is said (%#)', (text, wrong) => {
    const expected = 'an APNs signing key: an EC P-256 private key in PKCS#8 PEM';
    const inline = problemOf('', { APNS_P8: text });
    expect(inline).toBe(`Invalid ${PREFIX}APNS_P8: expected ${expected}; ${wrong}`);
    const file = temporaryFile('AuthKey.p8', text);
    const fromFile = problemOf('', { APNS_P8: '', APNS_P8_PATH: file });
    expect(fromFile).toBe(
      `Invalid ${PREFIX}APNS_P8_PATH: expected a file that holds ${expected}, got "${file}"; ${wrong}`,
    );
  });

  it.each(Object.keys(NEEDED).concat('APNS_P8_PATH', 'APNS_BUNDLE_ID', 'APNS_SANDBOX_URL', 'DATABASE_PATH'))(
    'is not repeated either when it was put into %s',
    (name) => {
      const folder = name === 'DATABASE_PATH' ? '\0' : '';
      for (const text of [P8, partsOf(P8).join('')]) {
        const variables = { ...NEEDED, APNS_P8: '', APNS_P8_PATH: '', [name]: `${text}${folder}` };
        const planned = plan('', variables);
        expect(planned.action === 'serve' || !hasPartOfKey(planned)).toBe(true);
      }
    },
  );

  function hasPartOfKey(planned: Plan<PushConfig>): boolean {
    return partsOf(P8).some((part) => JSON.stringify(planned).includes(part.slice(0, 16)));
  }
});

describe('a file of the key', () => {
  it('that is missing is named, with the reason', () => {
    expect(problemOf('', { APNS_P8: '', APNS_P8_PATH: '/nowhere/AuthKey.p8' })).toBe(
      `Invalid ${PREFIX}APNS_P8_PATH: expected a file that can be read, got "/nowhere/AuthKey.p8"; ` +
        'no such file or directory (ENOENT)',
    );
  });

  it('that is a folder is named, with the reason', () => {
    const folder = join(temporaryFile('x', ''), '..', 'folder');
    mkdirSync(folder);
    expect(problemOf('', { APNS_P8: '', APNS_P8_PATH: folder })).toMatch(
      /; illegal operation on a directory \(EISDIR\)$/,
    );
  });

  it('is read up to 16 KiB', () => {
    const padded = P8 + '\n'.repeat(16_384 - P8.length);
    expect(configOf('', { APNS_P8: '', APNS_P8_PATH: temporaryFile('p8', padded) }).apnsP8).toBe(P8.trim());
    expect(problemOf('', { APNS_P8: '', APNS_P8_PATH: temporaryFile('p8', `${padded}\n`) })).toMatch(
      /; it is larger than 16384 bytes$/,
    );
    expect(problemOf('', { APNS_P8: '', APNS_P8_PATH: '/dev/zero' })).toMatch(
      /; it is larger than 16384 bytes$/,
    );
  });
});

describe('unknown variables', () => {
  it('are found; those of a Host and of the Compose files are none', () => {
    const foreign = { URL: 'x', DISABLED: 'true', APNS_P8_FILE: '/key.p8' };
    const variables = { ...NEEDED, ...foreign, PROT: '1', APNS_KEYID: 'x', MAX_TOKEN: '1' };
    expect(plan('', variables)).toMatchObject({
      unknownVariables: [
        { name: `${PREFIX}PROT`, suggestion: `${PREFIX}PORT` },
        { name: `${PREFIX}APNS_KEYID`, suggestion: `${PREFIX}APNS_KEY_ID` },
        { name: `${PREFIX}MAX_TOKEN`, suggestion: `${PREFIX}MAX_TOKENS` },
      ],
    });
  });

  it('of the relay are not its business', () => {
    const env = { OPENCHAMBER_RELAY_SERVER_PROT: '1' };
    const planned = planCommand(pushProgram, { argv: ['--host', 'h'], env });
    expect(JSON.stringify(planned)).not.toContain('PROT');
  });
});

describe('help and version', () => {
  it.each(['-h', '--help', '--help --port 0', '--nope -h', '-qh'])('%s prints the help', (line) => {
    const planned = plan(line, { PORT: 'bad' });
    expect(planned).toMatchObject({ action: 'print' });
    expect(JSON.stringify(planned)).toContain('Usage: openchamber-push-relay [options]');
  });

  it.each(['-v', '--version'])('%s prints the version alone', (line) => {
    expect(plan(line)).toEqual({ action: 'print', text: '0.0.0-source\n' });
  });
});

describe('any environment', () => {
  const names = SETTINGS.map(({ variable }) => variable.slice(PREFIX.length)).filter(
    (name) => name !== 'APNS_P8_PATH',
  );

  it('is served or refused with one printable line', () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(P8, '1', 'true', 'x'));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (variables) => {
        const planned = plan('', { ...NEEDED, ...variables });
        if (planned.action === 'refuse') {
          expect(planned.problem).toMatch(/^Invalid [\x20-\x7e]{1,1000}$/);
          for (const part of partsOf(P8)) expect(planned.problem).not.toContain(part.slice(0, 16));
        }
      }),
      { numRuns: 1000 },
    );
  });
});
