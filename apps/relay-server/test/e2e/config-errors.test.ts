import { createServer } from 'node:net';
import { freePort, RELAY_PREFIX, runRelay, startRelay } from '@openchambery/testkit';
import type { RelayCommandOptions } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { limitNames } from './support/spec-defaults.ts';

// Layer 1 §8: a bad value or an unknown flag is exit code 1 and one line on stderr that helps.

/** The one line on stderr with which the command refuses to start. */
async function complaint(options: RelayCommandOptions): Promise<string> {
  const { code, stdout, stderr } = await runRelay(options);
  expect([code, stdout], stderr).toEqual([1, '']);
  expect(stderr.endsWith('\n'), stderr).toBe(true);
  const lines = stderr.trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

/** The complaint about a variable: which, what was wrong, what was given. */
async function expectBadVariable(name: string, value: string): Promise<string> {
  const line = await complaint({ limits: { [name]: value } });
  expect(line).toContain(`${RELAY_PREFIX}${name}`);
  expect(line).toContain('expected');
  return line;
}

describe('a bad variable', () => {
  it('is refused with the words of the contract', async () => {
    expect(await complaint({ limits: { PORT: '0' } })).toBe(
      'Invalid OPENCHAMBER_RELAY_SERVER_PORT: expected an integer from 1 to 65535, got "0"',
    );
  });

  it.each(['65536', '-1', '1.5', '80a', 'http', '0x50', '1e3', '99999999999999999999'])(
    'PORT=%s is refused',
    async (value) => {
      expect(await expectBadVariable('PORT', value)).toContain(`got "${value}"`);
    },
  );

  it.each(limitNames)('%s takes positive integers only', async (name) => {
    expect(await expectBadVariable(name, '0')).toContain('got "0"');
  });

  it.each(['-5', '1.5', 'many', '1e6', '0x10', '1_000', '1,000', '10ms', 'NaN', 'Infinity'])(
    'a limit of %s is refused',
    async (value) => {
      expect(await expectBadVariable('MAX_HOSTS', value)).toContain(`got "${value}"`);
    },
  );

  it.each(['yes', 'on', '2', 'truthy', 'null'])('TRUST_PROXY=%s is refused', async (value) => {
    const line = await expectBadVariable('TRUST_PROXY', value);
    for (const allowed of ['true', '1', 'false', '0']) expect(line).toContain(allowed);
  });

  it.each(['ws', 'ws/', 'http://x/ws', '/ws?x=1', '/ws#top', '/w s'])('PATH=%s is refused', async (value) => {
    await expectBadVariable('PATH', value);
  });

  it.each([
    'relay.example.org',
    'http://relay.example.org/ws',
    'https://relay.example.org/ws',
    'ws://user@relay.example.org/ws',
    'ws://user:secret@relay.example.org/ws',
    'ws://relay.example.org/ws?x=1',
    'ws://relay.example.org/ws#top',
    'ws://relay.example.org/other',
    'ws://relay.example.org',
    'ws://::1/ws',
    'ws://2001:db8::1:8787/ws',
    'ws:///ws',
  ])('PUBLIC_URL=%s is refused', async (value) => {
    await expectBadVariable('PUBLIC_URL', value);
  });

  it('LOG_LEVEL=loud is refused', async () => {
    await expectBadVariable('LOG_LEVEL', 'loud');
  });
});

describe('a cross-check', () => {
  it.each([
    ['REPLAY_MS', 'TIMESTAMP_SKEW_MS', { REPLAY_MS: 119_999 }],
    ['REPLAY_MS', 'TIMESTAMP_SKEW_MS', { TIMESTAMP_SKEW_MS: 60_001 }],
    ['MAX_PENDING_CLIENTS', 'MAX_CONNECTIONS', { MAX_PENDING_CLIENTS: 1001 }],
    ['MAX_CLIENTS_PER_HOST', 'MAX_CONNECTIONS', { MAX_CLIENTS_PER_HOST: 1001 }],
    ['MAX_CLIENTS_PER_HOST', 'MAX_CONNECTIONS', { MAX_CONNECTIONS: 99 }],
  ])('of %s with %s refuses %j', async (name, against, limits) => {
    const line = await complaint({ limits });
    expect(line).toContain(name);
    expect(line).toContain(against);
  });

  it('of the public URL with a path flag is made on what counts', async () => {
    const line = await complaint({
      limits: { PUBLIC_URL: 'wss://relay.example.org/ws' },
      args: ['--path', '/other'],
    });
    expect(line).toContain('PUBLIC_URL');
  });

  it('holds at the border', async () => {
    const limits = { REPLAY_MS: 120_000, MAX_PENDING_CLIENTS: 1000, MAX_CLIENTS_PER_HOST: 1000 };
    const relay = await startRelay({ limits });
    expect(relay.announced['status']).toBe('ok');
    await relay.stop();
  });
});

describe('a bad flag', () => {
  it.each([
    ['--port', '0', 'PORT'],
    ['--port', '70000', 'PORT'],
    ['--port', 'x', 'PORT'],
    ['--path', 'ws', 'PATH'],
    ['--public-url', 'http://relay.example.org/ws', 'PUBLIC_URL'],
    ['--public-url', 'ws://relay.example.org/else', 'PUBLIC_URL'],
  ])('%s %s is refused by its name', async (flag, value, variable) => {
    const line = await complaint({ args: [flag, value] });
    expect(line).toContain(flag);
    expect(line).toContain('expected');
    expect(line).not.toContain(RELAY_PREFIX + variable);
  });

  it('says what the variable would have said', async () => {
    expect(await complaint({ args: ['--port', '0'] })).toBe(
      'Invalid --port: expected an integer from 1 to 65535, got "0"',
    );
  });

  it.each(['--prot', '--max-hosts', '-x', '--jsn', '--trust-proxy-headers'])(
    '%s is unknown and refused by its name',
    async (flag) => {
      expect(await complaint({ args: [flag] })).toContain(flag);
    },
  );

  it.each(['--port', '--host', '--path', '--public-url'])('%s without a value is refused', async (flag) => {
    expect(await complaint({ args: [flag] })).toContain(flag);
  });

  it('is reported by --quiet too', async () => {
    expect(await complaint({ args: ['--quiet', '--port', '0'] })).toContain('--port');
  });
});

describe('a port in use', () => {
  async function occupied(): Promise<string> {
    const server = createServer();
    onTestFinished(() => void server.close());
    const port = await new Promise<number>((resolve) => {
      server.listen({ host: '127.0.0.1', port: 0 }, () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    return String(port);
  }

  it('is one line on stderr that names it, and exit code 1', async () => {
    const port = await occupied();
    const line = await complaint({ args: ['--port', port] });
    expect(line).toContain(port);
    expect(line).toMatch(/in use|EADDRINUSE/iu);
  });

  it('is an error line on stdout with --json', async () => {
    const port = await occupied();
    const { code, stdout } = await runRelay({ args: ['--json', '--port', port] });
    expect(code).toBe(1);
    const error = expectErrorLine(stdout);
    expect(error).toContain(port);
    expect(error).toMatch(/in use|EADDRINUSE/iu);
  });

  it('and an address of another machine are told apart', async () => {
    const port = String(await freePort());
    const line = await complaint({ args: ['--host', '198.51.100.77', '--port', port] });
    expect(line).toContain('198.51.100.77');
    expect(line).not.toMatch(/in use/iu);
  });
});

/** The error in the only line of stdout. */
function expectErrorLine(stdout: string): string {
  expect(stdout.endsWith('\n')).toBe(true);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const report = JSON.parse(stdout) as Record<string, unknown>;
  expect(Object.keys(report).sort()).toEqual(['error', 'status']);
  expect(report['status']).toBe('error');
  return String(report['error']);
}

describe('an error with --json', () => {
  it.each<[string, RelayCommandOptions, string]>([
    ['a bad flag', { args: ['--json', '--port', '0'] }, '--port'],
    ['a bad variable', { args: ['--json'], limits: { MAX_HOSTS: 'x' } }, `${RELAY_PREFIX}MAX_HOSTS`],
    ['an unknown flag', { args: ['--json', '--nope'] }, '--nope'],
    ['an unknown flag before --json', { args: ['--nope', '--json'] }, '--nope'],
    ['a cross-check', { args: ['--json'], limits: { REPLAY_MS: 1 } }, 'REPLAY_MS'],
    ['--quiet as well', { args: ['--quiet', '--json', '--port', 'x'] }, '--port'],
  ])('is one line of JSON on stdout and exit code 1: %s', async (_name, options, named) => {
    const { code, stdout, stderr } = await runRelay(options);
    expect(code).toBe(1);
    expect(expectErrorLine(stdout)).toContain(named);
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(1);
  });
});
