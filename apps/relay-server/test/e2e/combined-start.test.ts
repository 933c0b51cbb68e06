import {
  freePort,
  makeDeviceToken,
  makeIdentity,
  PUSH_PREFIX,
  registerRequest,
  RELAY_PREFIX,
  runRelay,
  spawnRelay,
  startRelay,
} from '@openchambery/testkit';
import type { RelayCommand, RelayCommandOptions } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { neededVariables, onlyLine, withPushPrefix } from './support/push-command.ts';
import type { Variables } from './support/push-command.ts';
import { ownRelay } from './support/relay.ts';

// Push API §5, combined mode: how it starts, what it says, what stops it.

/** A combined relay's options; `variables` without the prefix, blank ones unset what is needed. */
function combined(variables: Variables = {}, options: RelayCommandOptions = {}): RelayCommandOptions {
  return { ...options, env: { ...withPushPrefix({ ...neededVariables(), ...variables }), ...options.env } };
}

function start(options: RelayCommandOptions): RelayCommand {
  const relay = spawnRelay(options);
  onTestFinished(() => relay.stop());
  return relay;
}

async function complaint(options: RelayCommandOptions): Promise<string> {
  const { code, stdout, stderr } = await runRelay(options);
  expect([code, stdout], stderr).toEqual([1, '']);
  return onlyLine(stderr);
}

describe('the start', () => {
  it('says in two lines that the relay listens and push is mounted', async () => {
    const port = await freePort();
    const relay = start(combined({}, { args: ['--port', String(port)] }));
    const text = await relay.output('stdout', (all) => all.includes('mounted'));
    expect(text).toBe(`Relay listening at ws://127.0.0.1:${port}/ws\nPush relay mounted at /v1/push/*\n`);
    const response = await fetch(`http://127.0.0.1:${port}/v1/push/send`, { method: 'POST', body: '{}' });
    expect([response.status, await response.json()]).toEqual([400, { error: 'invalid_request' }]);
    relay.kill('SIGTERM');
    expect(await relay.exited).toEqual({ code: 0, signal: null });
    expect(onlyLine(relay.stderr())).toContain('push request refused');
  });

  it('adds "push":true to the one line of --json', async () => {
    const port = await freePort();
    const relay = start(combined({}, { args: ['--json', '--port', String(port)] }));
    const line = await relay.output('stdout', (all) => all.endsWith('\n'));
    expect(JSON.parse(onlyLine(line))).toEqual({
      status: 'ok',
      url: `ws://127.0.0.1:${port}/ws`,
      host: '127.0.0.1',
      port,
      path: '/ws',
      push: true,
    });
  });

  it('says nothing with --quiet', async () => {
    const relay = start(combined({}, { args: ['--quiet', '--port', String(await freePort())] }));
    relay.kill('SIGTERM');
    await relay.exited;
    expect(relay.stdout()).toBe('');
  });

  it('ignores HOST and PORT of push, good or bad', async () => {
    const relay = await ownRelay(combined({ HOST: '[', PORT: 'no' }));
    expect(relay.announced['push']).toBe(true);
  });

  it("leaves health to the relay and push's health paths to nobody", async () => {
    const relay = await ownRelay(combined());
    const at = `http://${relay.authority}`;
    expect((await fetch(`${at}/readyz`)).status).toBe(200);
    for (const path of ['/v1/push/healthz', '/v1/push', '/v1/push/', '/v1/push/send']) {
      const response = await fetch(at + path);
      expect([path, response.status, await response.text()]).toEqual([path, 404, '']);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('X-Forwarded-For', () => {
  const PROXIED = { REGISTER_LIMIT_PER_MINUTE: '1' };

  it.each<[string, readonly string[], Variables, boolean]>([
    ['the relay trusts proxies', ['--trust-proxy'], {}, true],
    ['the relay does not', [], {}, false],
    ['push alone does', [], { TRUST_PROXY: 'true' }, true],
    ['push alone does not', ['--trust-proxy'], { TRUST_PROXY: '0' }, false],
  ])('counts when %s', async (_what, args, variables, isTrusted) => {
    const relay = await ownRelay(combined({ ...PROXIED, ...variables }, { args }));
    const register = async (ip: string): Promise<number> => {
      const { path, body } = registerRequest(makeIdentity(), makeDeviceToken());
      const headers = { 'X-Forwarded-For': ip };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(`http://${relay.authority}${path}`, init)).status;
    };
    expect(await register('192.0.2.1')).toBe(200);
    expect(await register('192.0.2.2')).toBe(isTrusted ? 200 : 429);
  });
});

describe('without a variable about Apple', () => {
  it.each([
    {},
    { APNS_KEY_ID: '', APNS_P8: ' ' },
    { DATABASE_PATH: '/dev/null/x', PORT: 'bad', PROT: '1', URL: 'https://x' },
  ])('and with %j, push is not there', async (variables) => {
    const relay = await ownRelay({ env: withPushPrefix(variables) });
    expect(relay.announced).not.toHaveProperty('push');
    const response = await fetch(`http://${relay.authority}/v1/push/send`, { method: 'POST', body: '{}' });
    expect([response.status, await response.text()]).toEqual([404, '']);
    expect(relay.stderr()).toBe('');
  });
});

describe('a failed start', () => {
  const idMissing = `Invalid ${PUSH_PREFIX}APNS_KEY_ID: expected the key's id, letters and digits, got none`;

  it.each<[string, Variables, string]>([
    ['no key id', { APNS_KEY_ID: '' }, idMissing],
    [
      'nothing but a bundle ID',
      { APNS_KEY_ID: '', APNS_TEAM_ID: '', APNS_P8: '', APNS_BUNDLE_ID: 'x' },
      idMissing,
    ],
    ['nothing but a typo', { APNS_KEY_ID: '', APNS_TEAM_ID: '', APNS_P8: '', APNS_KEYID: 'x' }, idMissing],
    [
      'no team id',
      { APNS_TEAM_ID: '' },
      `Invalid ${PUSH_PREFIX}APNS_TEAM_ID: expected the team's id, letters and digits, got none`,
    ],
    [
      'no key',
      { APNS_P8: '' },
      `Invalid ${PUSH_PREFIX}APNS_P8: expected an APNs signing key: an EC P-256 private key in PKCS#8 PEM ` +
        `(or its file in ${PUSH_PREFIX}APNS_P8_PATH), got none`,
    ],
    [
      'a bad limit',
      { MAX_TOKENS: '0' },
      `Invalid ${PUSH_PREFIX}MAX_TOKENS: expected an integer from 1 to 1000000000, got "0"`,
    ],
  ])('is exit code 1 and one line: %s', async (_what, variables, line) => {
    expect(await complaint(combined(variables))).toBe(line);
  });

  it('is an error line with --json', async () => {
    const { code, stdout } = await runRelay(combined({ APNS_KEY_ID: '' }, { args: ['--json'] }));
    expect([code, JSON.parse(onlyLine(stdout))]).toEqual([1, { status: 'error', error: idMissing }]);
  });

  it('names a database that cannot be used, and its variable', async () => {
    const line = await complaint(combined({ DATABASE_PATH: '/dev/null/db' }));
    expect(line).toContain('/dev/null/db');
    expect(line).toContain(`${PUSH_PREFIX}DATABASE_PATH`);
  });

  it('names a database that another process has open', async () => {
    const options = combined();
    const first = await startRelay(options);
    onTestFinished(() => first.stop());
    const line = await complaint({ ...options, args: ['--port', String(await freePort())] });
    expect(line).toContain(`${PUSH_PREFIX}DATABASE_PATH`);
  });

  it('of the relay itself is told as ever', async () => {
    const taken = await ownRelay();
    expect(await complaint(combined({}, { args: ['--port', String(taken.port)] }))).toMatch(
      /in use.*EADDRINUSE/u,
    );
    expect(await complaint(combined({ APNS_KEY_ID: '' }, { args: ['--port', '0'] }))).toContain('--port');
  });
});

describe('unknown variables', () => {
  it('of both are warned about', async () => {
    const relay = await ownRelay(combined({ PROT: '1' }, { limits: { PATHH: '/x' } }));
    await relay.output('stderr', (text) => text.includes(`${PUSH_PREFIX}PROT`));
    expect(relay.stderr()).toContain(`${RELAY_PREFIX}PATHH`);
  });

  it('of a Host are none', async () => {
    const relay = await ownRelay(combined({ URL: 'https://x/v1/push/send', DISABLED: 'true' }));
    expect(relay.stderr()).toBe('');
  });
});
