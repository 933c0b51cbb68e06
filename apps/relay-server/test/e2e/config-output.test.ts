import {
  clientQuery,
  eventually,
  freePort,
  makeIdentity,
  RELAY_PREFIX,
  runRelay,
  spawnRelay,
} from '@openchambery/testkit';
import type { RelayCommand, RelayCommandOptions, RelayProcess } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { request } from './support/http.ts';
import { ownRelay } from './support/relay.ts';
import { refusal, refusalAt } from './support/sockets.ts';
import { specDefaults, specFlags } from './support/spec-defaults.ts';

// Layer 1 §8: what the command prints and which source of a setting wins.

/** Starts the command for the current test. */
function start(options: RelayCommandOptions): RelayCommand {
  const relay = spawnRelay(options);
  onTestFinished(() => relay.stop());
  return relay;
}

async function firstLine(options: RelayCommandOptions): Promise<string> {
  const relay = start(options);
  return relay.output('stdout', (text) => text.endsWith('\n'));
}

describe('the start-up line', () => {
  it('is exactly one line that says where the relay listens', async () => {
    const port = await freePort();
    const text = await firstLine({ args: ['--port', String(port)] });
    expect(text).toBe(`Relay listening at ws://127.0.0.1:${port}/ws\n`);
  });

  it('puts an IPv6 host in brackets and shows the path', async () => {
    const port = await freePort('::1');
    const text = await firstLine({ args: ['--host', '::1', '--port', String(port), '--path', '/a/b'] });
    expect(text).toBe(`Relay listening at ws://[::1]:${port}/a/b\n`);
  });

  it.each(['wss://relay.example.org/ws', 'ws://relay.example.org:8080/ws', 'wss://[2001:db8::1]:8443/ws'])(
    'shows the public URL %s as it was given',
    async (url) => {
      const port = String(await freePort());
      expect(await firstLine({ args: ['--port', port, '--public-url', url] })).toBe(
        `Relay listening at ${url}\n`,
      );
    },
  );

  it.each(['--quiet', '-q'])('is silenced by %s, and nothing else changes', async (flag) => {
    const port = await freePort();
    const relay = start({ args: ['--port', String(port), flag] });
    const target = { host: '127.0.0.1', port } as RelayProcess;
    const answer = await eventually(() => request(target, { path: '/healthz' }));
    expect(answer.status).toBe(200);
    expect(relay.stdout()).toBe('');
    relay.kill('SIGTERM');
    expect((await relay.exited).code).toBe(0);
    expect(relay.stdout()).toBe('');
  });
});

describe('--json', () => {
  it('prints one line with exactly status, url, host, port and path', async () => {
    const port = await freePort();
    const text = await firstLine({ args: ['--json', '--port', String(port)] });
    expect(text.split('\n')).toHaveLength(2);
    expect(JSON.parse(text)).toEqual({
      status: 'ok',
      url: `ws://127.0.0.1:${port}/ws`,
      host: '127.0.0.1',
      port,
      path: '/ws',
    });
  });

  it('has the public URL as url', async () => {
    const port = await freePort();
    const url = 'wss://relay.example.org/tunnel';
    const args = ['--json', '--port', String(port), '--path', '/tunnel', '--public-url', url];
    expect(JSON.parse(await firstLine({ args }))).toEqual({
      status: 'ok',
      url,
      host: '127.0.0.1',
      port,
      path: '/tunnel',
    });
  });
});

describe('--help', () => {
  it.each([['--help'], ['-h'], ['--help', '--quiet'], ['-q', '-h']])('%s %s prints help', async (...args) => {
    const { code, stdout, stderr } = await runRelay({ args: args.filter((arg) => arg !== undefined) });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('openchamber-relay');
  });

  it('lists every flag', async () => {
    const { stdout } = await runRelay({ args: ['--help'] });
    for (const flag of specFlags) expect(stdout).toMatch(new RegExp(`(^|[\\s,/])${flag}([\\s,/=]|$)`, 'mu'));
  });

  it('lists every variable with its default and unit', async () => {
    const { stdout } = await runRelay({ args: ['--help'] });
    const lines = stdout.split('\n');
    for (const [name, byDefault] of Object.entries(specDefaults)) {
      const named = new RegExp(`${RELAY_PREFIX}${name}(?![A-Z_])`, 'u');
      // The variable, its default and its unit stand on one line.
      const line = lines.find((text) => named.test(text) && text.replace(named, '').includes(byDefault));
      expect(line, `${name} with its default ${byDefault}`).toBeDefined();
      if (name.endsWith('_MS')) expect(line).toMatch(/\bms\b/u);
      if (name.endsWith('_BYTES')) expect(line).toMatch(/\bbytes?\b/u);
    }
  });

  it('works whatever the environment holds', async () => {
    const { code, stdout } = await runRelay({ args: ['--help'], limits: { PORT: 'bad' } });
    expect(code).toBe(0);
    expect(stdout).toContain('--port');
  });
});

describe('--version', () => {
  it.each([['--version'], ['-v'], ['-v', '-q']])('%s %s prints the version', async (...args) => {
    const { code, stdout, stderr } = await runRelay({ args: args.filter((arg) => arg !== undefined) });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/u);
  });
});

describe('precedence', () => {
  it('is flag, then variable, then default', async () => {
    const limits = { PATH: '/from-variable', TRUST_PROXY: 'true' };
    const byVariable = await ownRelay({ limits });
    expect(byVariable.path).toBe('/from-variable');
    const byFlag = await ownRelay({ limits, args: ['--path', '/from-flag'] });
    expect(byFlag.path).toBe('/from-flag');
    const byDefault = await ownRelay({});
    expect(byDefault.path).toBe('/ws');
  });

  it('lets PORT and HOST come from variables', async () => {
    const port = await freePort('127.0.0.7');
    const text = await firstLine({ limits: { HOST: '127.0.0.7', PORT: port } });
    expect(text).toBe(`Relay listening at ws://127.0.0.7:${port}/ws\n`);
  });

  it.each(['', ' ', '\t'])('takes the blank variable %j as unset', async (blank) => {
    // An address of its own, as the default port is the thing to see.
    const limits = Object.fromEntries(Object.keys(specDefaults).map((name) => [name, blank]));
    const text = await firstLine({ limits, args: ['--host', '127.66.66.66'] });
    expect(text).toBe('Relay listening at ws://127.66.66.66:8787/ws\n');
  });

  it.each([
    ['PORT', 'bad', []],
    ['PATH', 'bad', ['--path', '/ws']],
    ['PUBLIC_URL', 'http://bad', ['--public-url', 'ws://good.example/ws']],
    ['TRUST_PROXY', 'maybe', ['--no-trust-proxy']],
    ['TRUST_PROXY', 'maybe', ['--trust-proxy']],
  ])('checks only what counts: a flag hides %s=%s', async (name, value, args) => {
    const relay = await ownRelay({ limits: { [name]: value }, args });
    expect((await request(relay, { path: '/healthz' })).status).toBe(200);
  });

  const stranger = clientQuery(makeIdentity().serverId);

  it.each([
    ['TRUST_PROXY=true', { TRUST_PROXY: 'true' }, [], true],
    ['TRUST_PROXY=1', { TRUST_PROXY: '1' }, [], true],
    ['TRUST_PROXY=false', { TRUST_PROXY: 'false' }, [], false],
    ['TRUST_PROXY=0', { TRUST_PROXY: '0' }, [], false],
    ['no setting', {}, [], false],
    ['--trust-proxy', {}, ['--trust-proxy'], true],
    ['--trust-proxy over TRUST_PROXY=false', { TRUST_PROXY: 'false' }, ['--trust-proxy'], true],
    ['--no-trust-proxy over TRUST_PROXY=true', { TRUST_PROXY: 'true' }, ['--no-trust-proxy'], false],
  ])('%s decides on X-Forwarded-For', async (_name, variables, args, trusted) => {
    const relay = await ownRelay({ limits: { ...variables, MAX_ADMISSIONS_PER_IP: 1 }, args });
    const from = (ip: string) => ({ headers: { 'X-Forwarded-For': ip } });
    expect((await refusal(relay, stranger, from('192.0.2.1'))).code).toBe(4008);
    expect((await refusal(relay, stranger, from('192.0.2.2'))).code).toBe(trusted ? 4008 : 4029);
  });
});

describe('an unknown variable of the relay', () => {
  it.each(['PROT', 'MAX_HOST', 'port'])('%s is warned about by name and has no effect', async (name) => {
    const relay = await ownRelay({ limits: { [name]: '1' } });
    await relay.output('stderr', (text) => text.includes(`${RELAY_PREFIX}${name}`));
    expect((await request(relay, { path: '/readyz' })).status).toBe(200);
  });

  it('of another program is not', async () => {
    const relay = await ownRelay({ env: { OPENCHAMBER_RELAY_URL: 'ws://x/ws', OPENCHAMBER_PUSH_X: '1' } });
    await refusalAt(`${relay.url}?v=2`);
    expect(relay.stderr()).not.toMatch(/OPENCHAMBER_RELAY_URL|OPENCHAMBER_PUSH_X/u);
  });
});
