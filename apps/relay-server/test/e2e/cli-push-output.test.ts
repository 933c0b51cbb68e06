import { eventually, freePort, PUSH_PREFIX, runPush, spawnPush } from '@openchambery/testkit';
import type { PushCommand, PushCommandOptions } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { neededVariables, onlyLine } from './support/push-command.ts';

// Push API §5: what the command prints, as the relay's does (Layer 1 §8).

const FLAGS = [
  '--host',
  '--port',
  '--trust-proxy',
  '--no-trust-proxy',
  '--json',
  '--quiet',
  '-q',
  '--help',
  '-h',
  '--version',
  '-v',
];

const DEFAULTS: Readonly<Record<string, string>> = {
  HOST: '127.0.0.1',
  PORT: '8788',
  TRUST_PROXY: 'false',
  LOG_LEVEL: 'info',
  DATABASE_PATH: './data/push-relay.sqlite',
  TIMESTAMP_SKEW_MS: '300000 ms',
  REPLAY_MS: '600000 ms',
  MAX_REPLAY_ENTRIES: '10000 count',
  REGISTER_LIMIT_PER_MINUTE: '60 count',
  SEND_LIMIT_PER_MINUTE: '60 count',
  SERVER_SEND_LIMIT_PER_MINUTE: '120 count',
  MAX_TOKENS: '100000 count',
  MAX_IN_FLIGHT: '64 count',
  APNS_KEY_ID: 'required',
  APNS_TEAM_ID: 'required',
  APNS_BUNDLE_ID: 'com.yee94.openchamber',
  APNS_P8: 'unset',
  APNS_P8_PATH: 'unset',
  APNS_PRODUCTION_URL: 'https://api.push.apple.com',
  APNS_SANDBOX_URL: 'https://api.sandbox.push.apple.com',
  FCM_SERVICE_ACCOUNT_JSON: 'unset',
  FCM_SERVICE_ACCOUNT_PATH: 'unset',
  FCM_URL: 'https://fcm.googleapis.com',
  FCM_TOKEN_URL: 'unset',
};

/** Starts the command with all it needs, for the current test. */
function start({ limits = {}, ...options }: PushCommandOptions): PushCommand {
  const push = spawnPush({ ...options, limits: { ...neededVariables(), ...limits } });
  onTestFinished(() => push.stop());
  return push;
}

function firstLine(push: PushCommand): Promise<string> {
  return push.output('stdout', (text) => text.endsWith('\n'));
}

async function expectOrderlyEnd(push: PushCommand): Promise<void> {
  push.kill('SIGTERM');
  expect(await push.exited).toEqual({ code: 0, signal: null });
}

describe('the start-up line', () => {
  it('is exactly one line that says where the push relay listens', async () => {
    const port = await freePort();
    const push = start({ args: ['--port', String(port)] });
    expect(await firstLine(push)).toBe(`Push relay listening at http://127.0.0.1:${port}\n`);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    await expectOrderlyEnd(push);
    expect([onlyLine(push.stdout()), push.stderr()]).toEqual([
      `Push relay listening at http://127.0.0.1:${port}`,
      '',
    ]);
  });

  it('puts an IPv6 host in brackets', async () => {
    const port = await freePort('::1');
    const push = start({ limits: { HOST: '::1', PORT: port } });
    expect(await firstLine(push)).toBe(`Push relay listening at http://[::1]:${port}\n`);
  });

  it.each(['--quiet', '-q'])('is silenced by %s', async (flag) => {
    const port = await freePort();
    const push = start({ args: ['--port', String(port), flag] });
    await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200));
    await expectOrderlyEnd(push);
    expect([push.stdout(), push.stderr()]).toEqual(['', '']);
  });
});

describe('--json', () => {
  it.each([['--json'], ['--json', '-q']])(
    '%s %s prints one line with exactly status, url, host and port',
    async (...args) => {
      const port = await freePort();
      const push = start({ args: ['--port', String(port), ...args.filter((arg) => arg !== undefined)] });
      expect(await firstLine(push)).toBe(
        `{"status":"ok","url":"http://127.0.0.1:${port}","host":"127.0.0.1","port":${port}}\n`,
      );
      await expectOrderlyEnd(push);
      onlyLine(push.stdout());
    },
  );
});

describe('--help', () => {
  it.each([['--help'], ['-h'], ['-q', '-h']])(
    '%s %s prints help, whatever else is missing',
    async (...args) => {
      const { code, stdout, stderr } = await runPush({ args: args.filter((arg) => arg !== undefined) });
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('openchamber-push-relay');
    },
  );

  it('lists every flag, and every variable with its default and unit', async () => {
    const { stdout } = await runPush({ args: ['--help'], limits: { PORT: 'bad' } });
    for (const flag of FLAGS) expect(stdout).toMatch(new RegExp(`(^|[\\s,/])${flag}([\\s,/=]|$)`, 'mu'));
    const rows = stdout
      .split('\n')
      // A variable's row is indented by two; what it means, by more.
      .filter((line) => line.startsWith(`  ${PUSH_PREFIX}`))
      .map((line) => line.trim().split(/\s+/u));
    const listed = Object.fromEntries(
      rows.map(([name, ...cells]) => [name?.slice(PUSH_PREFIX.length), cells.join(' ')]),
    );
    expect(listed).toEqual(DEFAULTS);
  });
});

describe('--version', () => {
  it.each(['--version', '-v'])('%s prints the version', async (flag) => {
    const { code, stdout, stderr } = await runPush({ args: [flag] });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/u);
  });
});

describe('a variable', () => {
  it('of a Host is no typo', async () => {
    const push = start({
      limits: { PORT: await freePort(), URL: 'https://x/v1/push/send', DISABLED: 'true' },
    });
    await firstLine(push);
    await expectOrderlyEnd(push);
    expect(push.stderr()).toBe('');
  });

  it.each(['PROT', 'APNS_KEYID'])('%s is warned about by name, and has no effect', async (name) => {
    const push = start({ limits: { PORT: await freePort(), [name]: 'x' } });
    await firstLine(push);
    await push.output('stderr', (text) => text.includes(`${PUSH_PREFIX}${name}`));
    expect(onlyLine(push.stderr())).toContain('did you mean');
  });
});

describe('SIGINT', () => {
  it('ends it in an orderly way', async () => {
    const push = start({ limits: { PORT: await freePort() } });
    await firstLine(push);
    push.kill('SIGINT');
    expect(await push.exited).toEqual({ code: 0, signal: null });
  });
});
