import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planCommand } from '../../src/cli/plan-command.ts';
import type { Plan } from '../../src/cli/plan-command.ts';
import type { RelayConfig } from '../../src/relay/resolve-config.ts';
import { relayProgram } from './support/programs.ts';

const SETTINGS = relayProgram.table.settings;
const PREFIX = 'OPENCHAMBER_RELAY_SERVER_';
const FLAGS =
  'one of --host, --port, --path, --public-url, --trust-proxy, --no-trust-proxy, --json, --quiet, --help, --version';

type Variables = Readonly<Record<string, string>>;

function plan(line: string, variables: Variables = {}): Plan<RelayConfig> {
  const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [PREFIX + name, value]));
  return planCommand(relayProgram, { argv: line === '' ? [] : line.split(' '), env });
}

function configOf(line: string, variables?: Variables): RelayConfig {
  const planned = plan(line, variables);
  if (planned.action !== 'serve') {
    throw new Error(JSON.stringify(planned));
  }
  return planned.config;
}

function problemOf(line: string, variables?: Variables): string {
  const planned = plan(line, variables);
  if (planned.action !== 'refuse') {
    throw new Error(`accepted ${line}`);
  }
  return planned.problem;
}

describe('precedence', () => {
  it('starts with the defaults', () => {
    expect(configOf('')).toMatchObject({
      host: '127.0.0.1',
      port: 8787,
      path: '/ws',
      publicUrl: undefined,
      trustProxy: false,
      logLevel: 'info',
      limits: { maxFrameBytes: 131_072 },
    });
  });

  it('puts variables before defaults', () => {
    const variables = {
      HOST: '::1',
      PORT: '1',
      PATH: '/r',
      PUBLIC_URL: 'wss://relay.example/r',
      TRUST_PROXY: '1',
      LOG_LEVEL: 'silent',
      MAX_FRAME_BYTES: '7',
    };
    expect(configOf('', variables)).toMatchObject({
      host: '::1',
      port: 1,
      path: '/r',
      publicUrl: 'wss://relay.example/r',
      trustProxy: true,
      logLevel: 'silent',
      limits: { maxFrameBytes: 7 },
    });
  });

  it('puts flags before variables', () => {
    const line = '--host ::1 --port 65535 --path=/f --public-url=ws://[::1]/f --no-trust-proxy';
    const variables = { HOST: 'h', PORT: '1', PATH: '/r', PUBLIC_URL: 'ws://h/r', TRUST_PROXY: 'true' };
    expect(configOf(line, variables)).toMatchObject({
      host: '::1',
      port: 65_535,
      path: '/f',
      publicUrl: 'ws://[::1]/f',
      trustProxy: false,
    });
  });

  it('lets the last of several flags win', () => {
    expect(configOf('--port 1 --port 2 --trust-proxy --no-trust-proxy --trust-proxy')).toMatchObject({
      port: 2,
      trustProxy: true,
    });
  });

  it('never looks at a bad variable behind a flag', () => {
    const variables = { PORT: 'no', TRUST_PROXY: 'no', PATH: 'no', HOST: '[', PUBLIC_URL: 'no' };
    const line = '--port 9 --trust-proxy --path /p --host h --public-url ws://h/p';
    expect(configOf(line, variables).port).toBe(9);
  });

  it.each(['', ' ', '\t\n'])('counts the blank variable %j as unset', (blank) => {
    const variables = Object.fromEntries(
      SETTINGS.map(({ variable }) => [variable.slice(PREFIX.length), blank]),
    );
    expect(configOf('', variables)).toEqual(configOf(''));
  });

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('reads the boolean %s', (text, value) => {
    expect(configOf('', { TRUST_PROXY: text }).trustProxy).toBe(value);
  });
});

describe('a bad value', () => {
  it.each([
    ['PORT', '0', 'an integer from 1 to 65535'],
    ['PORT', '65536', 'an integer from 1 to 65535'],
    ['PORT', '+80', 'an integer from 1 to 65535'],
    ['PORT', '8e1', 'an integer from 1 to 65535'],
    ['PORT', ' 80', 'an integer from 1 to 65535'],
    ['PORT', '080', 'an integer from 1 to 65535'],
    ['TRUST_PROXY', 'yes', 'true, 1, false or 0'],
    ['TRUST_PROXY', 'TRUE', 'true, 1, false or 0'],
    ['LOG_LEVEL', 'loud', 'one of trace, debug, info, warn, error, fatal, silent'],
    ['MAX_HOSTS', '0', 'an integer from 1 to 16000000'],
    ['MAX_HOSTS', '1.5', 'an integer from 1 to 16000000'],
    ['PENDING_MS', '2147483648', 'an integer from 1 to 2147483647'],
    ['HOST', '[::1]', 'a host name or an IP address without brackets'],
    ['PATH', '/healthz', 'a path other than the health checks /healthz and /readyz'],
  ])('%s=%s names the variable, what is allowed and what it got', (name, value, expected) => {
    expect(problemOf('', { [name]: value })).toBe(
      `Invalid ${PREFIX}${name}: expected ${expected}, got "${value}"`,
    );
  });

  it.each([
    ['--port 0', 'Invalid --port: expected an integer from 1 to 65535, got "0"'],
    ['--port -1', 'Invalid --port: expected an integer from 1 to 65535, got "-1"'],
    ['--port=', 'Invalid --port: expected an integer from 1 to 65535, got ""'],
    ['--port', 'Invalid --port: expected a value, got none'],
    ['--port --quiet', 'Invalid --port: expected a value, got none'],
    ['--host=', 'Invalid --host: expected a host name or an IP address without brackets, got ""'],
    [
      '--path ws',
      'Invalid --path: expected a path that starts with "/" in visible ASCII without "?" and "#", got "ws"',
    ],
    ['--trust-proxy=maybe', 'Invalid --trust-proxy: expected no value, got "maybe"'],
  ])('%s names the flag', (line, problem) => {
    expect(problemOf(line, { PORT: '9' })).toBe(problem);
  });

  it('is cut and escaped in the message', () => {
    const problem = problemOf('', { PORT: `\u001b[2J\n\u202e${'x'.repeat(5000)}` });
    expect(problem).toMatch(/^[\x20-\x7e]{1,300}$/);
    expect(problem).toContain('\\u001b[2J\\n\\u202e');
  });
});

describe('values that contradict each other', () => {
  it('name both variables', () => {
    expect(problemOf('', { MAX_PENDING_CLIENTS: '300', MAX_CONNECTIONS: '200' })).toBe(
      `Invalid ${PREFIX}MAX_PENDING_CLIENTS: expected at most ${PREFIX}MAX_CONNECTIONS (200), got "300"`,
    );
    expect(problemOf('', { TIMESTAMP_SKEW_MS: '70000', REPLAY_MS: '139999' })).toBe(
      `Invalid ${PREFIX}REPLAY_MS: expected at least 2 x ${PREFIX}TIMESTAMP_SKEW_MS (140000), got "139999"`,
    );
  });

  it('say when the value at fault is a default', () => {
    expect(problemOf('', { MAX_CONNECTIONS: '99' })).toBe(
      `Invalid ${PREFIX}MAX_CLIENTS_PER_HOST: expected at most ${PREFIX}MAX_CONNECTIONS (99), got 100 (the default)`,
    );
  });

  it('name the flag where a flag was used', () => {
    expect(problemOf('--public-url ws://h/a', { PATH: '/b' })).toBe(
      `Invalid --public-url: expected a URL with the same path as ${PREFIX}PATH (/b), got "ws://h/a"`,
    );
    expect(problemOf('--path /b', { PUBLIC_URL: 'ws://h/a' })).toBe(
      `Invalid ${PREFIX}PUBLIC_URL: expected a URL with the same path as --path (/b), got "ws://h/a"`,
    );
  });
});

describe('what is no flag', () => {
  it.each([
    ['--prot 80', `Unknown option "--prot": expected ${FLAGS}; did you mean --port?`],
    ['--zzzzzzzz', `Unknown option "--zzzzzzzz": expected ${FLAGS}`],
    ['--token=secret', `Unknown option "--token": expected ${FLAGS}`],
    ['-x', `Unknown option "-x": expected ${FLAGS}`],
    ['start', `Unexpected argument "start": expected ${FLAGS}`],
    ['-- --port', `Unexpected argument "--port": expected ${FLAGS}`],
    ['-5', `Unexpected argument "-5": expected ${FLAGS}`],
  ])('%s is named, with what is allowed', (line, problem) => {
    expect(problemOf(line).replace(/; did you mean --(?!port)[a-z-]+\?$/, '')).toBe(problem);
  });

  it('goes before a bad value', () => {
    expect(problemOf('--port 0 --nope')).toContain('Unknown option "--nope"');
  });
});

describe('the report style', () => {
  it.each([
    '--json --port 0',
    '--port 0 --json',
    '--port --json',
    '--nope --json',
    'stray --json',
    '--nope x --json',
  ])('is JSON for %s although the line is bad', (line) => {
    expect(plan(line)).toMatchObject({ action: 'refuse', style: { json: true } });
  });

  it('follows the flags', () => {
    expect(plan('')).toMatchObject({ style: { json: false, quiet: false } });
    expect(plan('-q')).toMatchObject({ style: { json: false, quiet: true } });
    expect(plan('--quiet --json')).toMatchObject({ style: { json: true, quiet: true } });
  });
});

describe('help and version', () => {
  it.each(['-h', '--help', '--help --port 0', '--nope -h', '-qh'])('%s prints the help', (line) => {
    expect(plan(line, { PORT: 'bad' })).toMatchObject({ action: 'print' });
  });

  it.each(['-v', '--version'])('%s prints the version alone', (line) => {
    expect(plan(line)).toEqual({ action: 'print', text: '0.0.0-source\n' });
  });
});

describe('unknown variables', () => {
  it('are found, with the name that was probably meant', () => {
    const variables = { PROT: '80', MAX_HOST: '3', ZZZZZZZZZZ: '1', PORT: '9', MAX_BLANK: ' ' };
    const env = {
      ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [PREFIX + name, value])),
      PORT: '1',
      OPENCHAMBER_RELAY_IMAGE: 'x',
    };
    const planned = planCommand(relayProgram, { argv: [], env });
    expect(planned).toMatchObject({
      unknownVariables: [
        { name: `${PREFIX}PROT`, suggestion: `${PREFIX}PORT` },
        { name: `${PREFIX}MAX_HOST`, suggestion: `${PREFIX}MAX_HOSTS` },
        { name: `${PREFIX}ZZZZZZZZZZ`, suggestion: undefined },
      ],
    });
  });
});

describe('any command line and environment', () => {
  const word = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '--port',
      '--host',
      '--json',
      '--',
      '-q',
      '--path=/',
      '--no-trust-proxy',
      '8080',
      '-1',
      '--x=y',
    ),
  );
  const names = SETTINGS.map(({ variable }) => variable);

  it('is served, printed or refused with one printable line', () => {
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 6 }),
        fc.dictionary(fc.constantFrom(...names), fc.string()),
        (argv, env) => {
          const planned = planCommand(relayProgram, { argv, env });
          if (planned.action === 'refuse') {
            expect(planned.problem).toMatch(
              /^(?:Invalid|Unknown option|Unexpected argument) [\x20-\x7e]{1,1000}$/,
            );
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
