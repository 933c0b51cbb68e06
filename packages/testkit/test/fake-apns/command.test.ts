import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:http2';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort, withTimeout } from '../../src/index.ts';
import { bearer, outcomeOf } from './client.ts';

const MAIN = fileURLToPath(new URL('../../src/fake-apns/command/main.ts', import.meta.url));
const PREFIX = 'OPENCHAMBER_PUSH_RELAY_APNS_';
const TOKEN = '0123456789abcdef'.repeat(4);

class Command {
  readonly #child: ChildProcess;
  readonly exited: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(...args: string[]) {
    this.#child = spawn(process.execPath, ['--conditions=@openchambery/source', MAIN, ...args]);
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exited = new Promise((resolve) => void this.#child.on('close', resolve));
    onTestFinished(async () => {
      this.kill('SIGTERM');
      await this.exited;
    });
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves when a stream has `lines` lines. */
  async lines(stream: 'stdout' | 'stderr', lines: number): Promise<string[]> {
    const enough = (): boolean => this[stream].split('\n').length > lines;
    while (!enough()) {
      const more = once(this.#child[stream] ?? this.#child, 'data').then(() => true);
      const ended = this.exited.then(() => false);
      const all = (): string => `stdout ${this.stdout}, stderr ${this.stderr}`;
      const isAlive = await withTimeout(Promise.race([more, ended]), all);
      if (!isAlive && !enough()) throw new Error(`it ended after ${all()}`);
    }
    return this[stream].split('\n').slice(0, lines);
  }

  async variables(): Promise<Record<string, string>> {
    const [line = ''] = await this.lines('stdout', 1);
    return (JSON.parse(line) as { env: Record<string, string> }).env;
  }
}

async function push(env: Readonly<Record<string, string>>, url: string, body: string): Promise<string> {
  const p8 = readFileSync(env[`${PREFIX}P8_PATH`] ?? '', 'utf8');
  const [keyId = '', teamId = ''] = [env[`${PREFIX}KEY_ID`], env[`${PREFIX}TEAM_ID`]];
  const key = { keyId, teamId, p8, publicKey: createPublicKey(p8) };
  const session = connect(url, { ca: readFileSync(env['NODE_EXTRA_CA_CERTS'] ?? '') });
  onTestFinished(() => session.destroy());
  const stream = session.request({
    ':method': 'POST',
    ':path': `/3/device/${TOKEN}`,
    authorization: bearer(key, Date.now()),
    'apns-topic': 'com.example.app',
    'apns-push-type': 'alert',
    'apns-priority': '10',
  });
  stream.end(body);
  const { status, body: answer } = await outcomeOf(stream);
  return `${status} ${answer}`.trim();
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "fake apns' test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('the command fake-apns', () => {
  it('prints what the push relay needs, and takes what that sends', async () => {
    const command = new Command('--json');
    const env = await command.variables();
    expect(command.stdout).toMatch(/^\{"status":"ok","env":\{.*\}\}\n$/);
    const body = '{"aps":{"alert":{"title":"secret"}}}';
    expect(await push(env, env[`${PREFIX}PRODUCTION_URL`] ?? '', body)).toBe('200');
    expect(await push(env, env[`${PREFIX}SANDBOX_URL`] ?? '', '{}')).toBe('400 {"reason":"PayloadEmpty"}');
    const lines = (await command.lines('stderr', 2)).map((line) => line.replace(/^\S+Z /, ''));
    expect(lines).toEqual([
      'production 200 type=alert priority=10 token=01234567… bytes=36',
      'sandbox 400 PayloadEmpty type=alert priority=10 token=01234567… bytes=2',
    ]);
    const folder = dirname(env['NODE_EXTRA_CA_CERTS'] ?? '');
    expect(existsSync(folder)).toBe(true);
    // As when a terminal and npm pass on the same Ctrl-C.
    command.kill('SIGINT');
    command.kill('SIGINT');
    command.kill('SIGTERM');
    expect(await command.exited).toBe(0);
    expect(existsSync(folder)).toBe(false);
  });

  it('shows payloads on demand', async () => {
    const command = new Command('--json', '--show-payload');
    const env = await command.variables();
    await push(env, env[`${PREFIX}SANDBOX_URL`] ?? '', '{"aps":{"badge":1}}');
    const [line] = await command.lines('stderr', 1);
    expect(line).toContain(' payload={"aps":{"badge":1}}');
  });

  it('writes lines that a shell understands, and leaves a folder of our choice in place', async () => {
    const folder = makeFolder();
    const [production, sandbox] = [await freePort(), await freePort()];
    const ports = ['--production-port', String(production), '--sandbox-port', String(sandbox)];
    const command = new Command('--folder', folder, ...ports);
    const lines = await command.lines('stdout', 6);
    const shell = spawn('sh', ['-c', `${lines.join('\n')}\nenv`], { env: {} });
    let seen = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text));
    await once(shell, 'close');
    expect(seen.split('\n')).toEqual(
      expect.arrayContaining([
        `${PREFIX}P8_PATH=${join(folder, 'AuthKey.p8')}`,
        `${PREFIX}PRODUCTION_URL=https://127.0.0.1:${production}`,
        `${PREFIX}SANDBOX_URL=https://127.0.0.1:${sandbox}`,
        `NODE_EXTRA_CA_CERTS=${join(folder, 'ca.pem')}`,
      ]),
    );
    expect(statSync(join(folder, 'AuthKey.p8')).mode & 0o777).toBe(0o600);
    command.kill('SIGTERM');
    expect(await command.exited).toBe(0);
    expect(existsSync(join(folder, 'ca.pem'))).toBe(true);
  });

  it('helps', async () => {
    const command = new Command('--help');
    expect(await command.exited).toBe(0);
    for (const flag of ['--production-port', '--sandbox-port', '--folder', '--show-payload', '--json']) {
      expect(command.stdout).toContain(flag);
    }
    expect(command.stderr).toBe('');
  });

  it.each([
    [['--bogus'], "unknown option '--bogus'"],
    [['extra'], 'too many arguments'],
    [['--production-port', '0'], 'Expected a port from 1 to 65535'],
    [['--sandbox-port', '65536'], 'Expected a port from 1 to 65535'],
    [['--sandbox-port', '80a'], 'Expected a port from 1 to 65535'],
    [['--sandbox-port'], 'argument missing'],
    [['--folder', '/proc/none'], 'ENOENT'],
  ])('says what is wrong with %j in one line', async (args, text) => {
    const command = new Command(...args);
    expect(await command.exited).toBe(1);
    expect(command.stderr).toContain(text);
    expect(command.stderr.match(/\n/g)).toHaveLength(1);
    expect(command.stdout).toBe('');
  });

  it('says that a port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const command = new Command('--sandbox-port', String((other.address() as AddressInfo).port));
    expect(await command.exited).toBe(1);
    expect(command.stderr).toMatch(/^fake-apns: listen EADDRINUSE.*\n$/);
  });
});
