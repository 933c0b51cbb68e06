import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { run, start } from './support/command.ts';
import { startOrigin } from './support/origin.ts';
import { shared } from './support/keep.ts';
import { expose, ownFolder, ownRelay, setStage } from './support/tunnel.ts';

const relay = shared((keep) => ownRelay(keep));

const LINK = /^openchamber:\/\/pair#v=1&r=[^&]+&h=[\w-]{43}&k=[\w-]{86}&s=[\w-]{22}$/;

describe('expose', () => {
  it('prints the link on a line of its own, and no QR code into a pipe', async () => {
    const state = await ownFolder();
    const command = start(['expose', '3000', '--relay', relay.url, '--state', state]);
    await command.line((line) => line === 'connected · 0 devices');
    const lines = command.stdout().split('\n');
    expect(lines.slice(0, 2)).toEqual([
      `Exposing http://127.0.0.1:3000 through ${relay.url}`,
      'The link of the pairing "device-1"; whoever has it reaches the origin:',
    ]);
    expect(lines.filter((line) => LINK.test(line))).toHaveLength(1);
    expect(command.stdout()).not.toContain('\u001b');
    expect(command.stderr()).toBe('');
  });

  it('says with --json what a program has to know', async () => {
    const { command, origin, link } = await setStage({ relay });
    expect(JSON.parse(command.stdout().split('\n')[0] ?? '')).toEqual({
      status: 'ok',
      link: expect.stringMatching(LINK),
      serverId: new URLSearchParams(link.split('#')[1]).get('h'),
      relayUrl: relay.url,
      origin: origin.url,
      name: 'default',
    });
  });

  it('prints the QR code when it is asked to', async () => {
    const state = await ownFolder();
    const command = start(['expose', '3000', '--relay', relay.url, '--state', state, '--qr']);
    await command.line((line) => line.startsWith('connected'));
    expect(command.stdout()).toContain('\u2580');
  });

  it('says nothing with --quiet', async () => {
    const state = await ownFolder();
    const origin = await startOrigin();
    const command = start(['expose', String(origin.port), '-q', '--relay', relay.url, '--state', state]);
    const link = await eventually(async () => {
      const { code, stdout } = await run(['pair', '-q', '--state', state]);
      expect(code).toBe(0);
      return stdout.toString().trim();
    });
    expect((await run(['get', link, '/x'])).stdout.toString()).toBe('GET /x');
    command.kill('SIGTERM');
    const { code, stdout, stderr } = await command.finished;
    expect([code, stdout.toString(), stderr]).toEqual([0, '', '']);
  });

  it('says with --no-link how it is, and nothing that opens the way to it', async () => {
    const [origin, state] = [await startOrigin(), await ownFolder()];
    const args = ['expose', String(origin.port), '--no-link', '--relay', relay.url, '--state', state];
    const plain = start(args);
    await plain.line((line) => line === 'connected · 0 devices');
    const pair = await run(['pair', 'phone', '-q', '--state', state]);
    const link = pair.stdout.toString().trim();
    expect((await run(['get', link, '/x'])).stdout.toString()).toBe('GET /x');
    plain.kill('SIGTERM');
    expect((await plain.finished).code).toBe(0);
    const json = start([...args, '--json']);
    const first = await json.json(({ status }) => status === 'ok');
    expect(Object.keys(first)).toEqual(['status', 'serverId', 'relayUrl', 'origin', 'name']);
    await json.json(({ state: now }) => now === 'connected');
    const secret = String(new URLSearchParams(link.split('#')[1]).get('s'));
    for (const said of [plain.stdout(), plain.stderr(), json.stdout(), json.stderr()]) {
      expect(said).not.toContain('#v=1');
      expect(said).not.toContain(secret);
      expect(said).not.toContain('\u2580');
    }
    // A pairing whose link nobody has seen would be of no use.
    const { stdout } = await run(['pairs', '--json', '--state', state]);
    expect(JSON.parse(stdout.toString())).toMatchObject({ pairings: [{ label: 'phone' }] });
  });

  it('keeps its keys and pairing for the next time, for its owner alone', async () => {
    const first = await setStage({ relay });
    first.command.kill('SIGTERM');
    expect((await first.command.finished).code).toBe(0);
    const folder = join(first.state, 'default');
    for (const name of await readdir(folder))
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await readdir(folder)).toSorted()).toEqual(['exposure.json', 'identity.json', 'pairs.json']);
    const again = await expose(['3000', '--relay', relay.url, '--state', first.state]);
    expect(again.link).toBe(first.link);
  });

  it('runs once under a name, and beside itself under another', async () => {
    const { state, command, link } = await setStage({ relay });
    const args = ['3000', '--relay', relay.url, '--state', state];
    const second = await run(['expose', ...args]);
    expect([second.code, second.stdout.toString()]).toEqual([1, '']);
    expect(second.stderr).toMatch(
      new RegExp(
        `^The exposure "default" runs already, as process ${command.pid} on "[^"]+": stop that one, or give`,
      ),
    );
    const other = await expose([...args, '--name', 'other']);
    expect(new URLSearchParams(other.link.split('#')[1]).get('h')).not.toBe(
      new URLSearchParams(link.split('#')[1]).get('h'),
    );
  });

  it('runs again after it was killed', async () => {
    const { state, command, link } = await setStage({ relay });
    command.kill('SIGKILL');
    await command.finished;
    expect((await expose(['3000', '--relay', relay.url, '--state', state])).link).toBe(link);
  });

  it('never makes new keys in the place of a file that it cannot read', async () => {
    const { state, command } = await setStage({ relay });
    command.kill('SIGTERM');
    await command.finished;
    const identity = join(state, 'default', 'identity.json');
    await writeFile(identity, 'damaged');
    const { code, stderr } = await run(['expose', '3000', '--relay', relay.url, '--state', state]);
    expect(code).toBe(1);
    expect(stderr.split('\n')).toHaveLength(2);
    expect(stderr).toContain('identity.json');
    expect(await readFile(identity, 'utf8')).toBe('damaged');
  });

  it('shows the pairing of a label, and makes it when there is none', async () => {
    const state = await ownFolder();
    const args = ['3000', '--relay', relay.url, '--state', state];
    const links = new Set<string>();
    for (const label of ['phone', 'laptop', 'phone']) {
      const { command, link } = await expose([...args, '--label', label]);
      links.add(link);
      command.kill('SIGTERM');
      await command.finished;
    }
    expect(links.size).toBe(2);
  });

  it('puts another page before the link', async () => {
    const state = await ownFolder();
    const args = ['3000', '--relay', relay.url, '--state', state, '--page', 'https://example.org/app?x'];
    expect((await expose(args)).link).toMatch(/^https:\/\/example\.org\/app\?x#v=1&/);
    const { stdout } = await run(['pair', '-q', '--state', state]);
    expect(stdout.toString()).toMatch(/^https:\/\/example\.org\/app\?x#v=1&/);
  });
});

describe('--no-secret', () => {
  it('warns, prints a link without a secret, and lets in whoever has it', async () => {
    const [origin, state] = [await startOrigin(), await ownFolder()];
    const args = [String(origin.port), '--relay', relay.url, '--state', state, '--no-secret'];
    const { command, link } = await expose(args);
    expect(command.stderr()).toMatch(/^Warning: --no-secret lets in everybody who knows the link.*\n$/);
    expect(link).not.toContain('&s=');
    expect((await run(['get', link, '/x'])).stdout.toString()).toBe('GET /x');
    const pair = await run(['pair', '--state', state]);
    expect(pair.stderr).toMatch(/^Warning: the last expose ran with --no-secret/);
  });
});

it('ws:// to another machine is warned about', async () => {
  const state = await ownFolder();
  const command = start(['expose', '3000', '--relay', 'ws://192.0.2.1/ws', '--state', state]);
  await command.line((line) => LINK.test(line));
  expect(command.stderr()).toMatch(/^Warning: the relay is reached by ws:\/\/, without TLS/);
});

describe('what is refused', () => {
  it.each([
    [[], 'Missing command: openchamber-tunnel --help lists them'],
    [['expose'], 'Missing ORIGIN: expected a port (3000) or a URL such as http://127.0.0.1:3000'],
    [
      ['expose', 'http://example.org', '--relay', 'ws://r/'],
      'Invalid ORIGIN: expected a port (3000) or an http',
    ],
    [['expose', '1'], 'Missing relay: expected --relay or OPENCHAMBER_RELAY_URL'],
    [['expose', '1', '--relay', 'http://r/'], 'Invalid --relay: expected a ws:// or wss:// URL'],
    [
      ['expose', '1', '--relay', 'ws://r/', '--no-link', '--qr'],
      'Unexpected --qr: expected either --no-link or a link to show',
    ],
    [
      ['expose', '1', '--relay', 'ws://r/', '--no-link', '--label', 'x'],
      'Unexpected --label: expected either --no-link or a link to show',
    ],
    [['expose', '1', '--relays', 'x'], 'Unknown option "--relays": expected one of --relay, '],
    [['connect'], 'Missing LINK: expected a pairing link as expose prints it'],
    [['connect', 'x'], 'Invalid LINK: not a pairing link'],
    [['connect', 'x', '--listen', 'x'], 'Invalid --listen: expected a port (8080), or an address and a port'],
    [['pairs'], 'There is no exposure "default" in'],
    [['pair'], 'There is no exposure "default" in'],
    [['revoke'], 'Missing pairing: expected its id or label'],
    [['revoke', 'x', '--all'], 'Unexpected argument: expected either --all or pairings'],
  ])('%j', async (args, problem) => {
    const env = { OPENCHAMBER_TUNNEL_STATE: await ownFolder() };
    const { code, stdout, stderr } = await run(args, { env });
    expect([code, stdout.toString(), stderr.split('\n').length]).toEqual([1, '', 2]);
    expect(stderr).toContain(problem);
    const json = await run([...args, '--json'], { env });
    expect([json.code, JSON.parse(json.stdout.toString())]).toEqual([
      1,
      { status: 'error', error: stderr.trim() },
    ]);
  });

  it('a folder that cannot be made', async () => {
    const folder = await ownFolder();
    await writeFile(join(folder, 'file'), '');
    const { code, stderr } = await run([
      'expose',
      '1',
      '--relay',
      'ws://r/',
      '--state',
      join(folder, 'file', 'x'),
    ]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^Cannot make the folder ".*" \(ENOTDIR\): choose another/),
    ]);
  });
});

describe('--help and --version', () => {
  it.each([['--help'], ['-h'], ['connect', '--help'], ['expose', '-h', '--nonsense'], ['--help', '--json']])(
    '%s %s',
    async (...args) => {
      const { code, stdout, stderr } = await run(args.filter((arg) => arg !== undefined));
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout.toString()).toMatch(/^Usage: openchamber-tunnel /);
    },
  );

  it.each(['--version', '-v'])('%s', async (flag) => {
    expect((await run([flag])).stdout.toString()).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
  });
});
