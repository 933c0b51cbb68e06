import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { eventually } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { run, start } from './support/command.ts';
import { shared } from './support/keep.ts';
import { patternHash } from './support/origin.ts';
import { ownFolder, setStage, withWrongSecret } from './support/tunnel.ts';

const stage = shared((keep) => setStage({ keep }));

const MIB = 1024 * 1024;

function get(...args: string[]) {
  return run(['get', stage.link, ...args]);
}

describe('get', () => {
  it('prints the body and nothing else', async () => {
    const { code, stdout, stderr } = await get('/a?b=c');
    expect([code, stdout.toString(), stderr]).toEqual([0, 'GET /a?b=c', '']);
  });

  it.each([
    [200, 0],
    [204, 0],
    [304, 0],
    [399, 0],
    [400, 22],
    [404, 22],
    [599, 22],
  ])('an answer %i is exit code %i, and its body is printed', async (status, expected) => {
    const { code, stdout, stderr } = await get(`/status/${status}`);
    const body = [204, 304].includes(status) ? '' : `status ${status}`;
    expect([code, stdout.toString(), stderr]).toEqual([expected, body, '']);
  });

  it('sends method, headers and text', async () => {
    const args = ['--method', 'put', '--header', 'X-A: 1', '--header', 'x-a: 2', '--data', 'hello'];
    const { stdout } = await get('/hash', ...args);
    expect(JSON.parse(stdout.toString())).toEqual({
      bytes: 5,
      sha256: createHash('sha256').update('hello').digest('hex'),
    });
    expect(stage.origin.seen.at(-1)).toMatchObject({
      method: 'PUT',
      headers: { 'x-a': '1, 2', accept: '*/*' },
    });
  });

  it('sends a file, and stdin', async () => {
    const folder = await ownFolder();
    const file = join(folder, 'data');
    const data = Buffer.alloc(5 * MIB, 'y');
    await writeFile(file, data);
    const expected = { bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') };
    const fromFile = await get('/hash', '--data', `@${file}`);
    const fromStdin = await run(['get', stage.link, '/hash', '--data', '-'], { stdin: data });
    for (const { code, stdout } of [fromFile, fromStdin]) {
      expect([code, JSON.parse(stdout.toString())]).toEqual([0, expected]);
    }
  });

  it('writes a file that is there when it is whole', async () => {
    const folder = await ownFolder();
    const bytes = 8 * MIB + 1;
    const { code, stdout } = await run(['get', stage.link, `/bytes/${bytes}`, '--output', 'out', '--json'], {
      cwd: folder,
    });
    expect([code, JSON.parse(stdout.toString())]).toEqual([0, { status: 'ok', httpStatus: 200, bytes }]);
    const written = await readFile(join(folder, 'out'));
    expect(createHash('sha256').update(written).digest('hex')).toBe(patternHash(bytes));
    expect(await readdir(folder)).toEqual(['out']);
  });

  it('writes to where a link leads, and into a device', async () => {
    const folder = await ownFolder();
    await writeFile(join(folder, 'real'), 'old');
    await symlink('real', join(folder, 'link'));
    expect((await get('/x', '--output', join(folder, 'link'))).code).toBe(0);
    expect(await readFile(join(folder, 'real'), 'utf8')).toBe('GET /x');
    expect((await get('/x', '--output', '/dev/null')).code).toBe(0);
  });

  it('leaves no file of an answer that broke off, and says so', async () => {
    const folder = await ownFolder();
    const command = start(['get', stage.link, '/hold', '--output', join(folder, 'out')]);
    const held = await stage.origin.held.take();
    held.write('half');
    // The head has arrived when there is a file for what follows it.
    await eventually(async () =>
      expect(await readdir(folder)).toEqual([expect.stringMatching(/^out\..*\.part$/)]),
    );
    held.destroy();
    const { code, stdout, stderr } = await command.finished;
    expect([code, stdout.toString()]).toEqual([1, '']);
    expect(stderr).toMatch(/^The Host gave up on the request.*\n$/);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is content with a reader that has enough', async () => {
    const command = start(['get', stage.link, `/bytes/${64 * MIB}`]);
    await once(command.child.stdout ?? command.child, 'data');
    command.child.stdout?.destroy();
    const { code, stderr } = await command.finished;
    expect([code, stderr]).toEqual([0, '']);
    await stage.origin.broken.take({ matches: (path) => path === `/bytes/${64 * MIB}` });
  });

  it('waits for a slow reader, with all there is to read', async () => {
    const bytes = 16 * MIB;
    const command = start(['get', stage.link, `/bytes/${bytes}`]);
    const { stdout } = command.child;
    if (stdout === null) throw new Error('stdout is a pipe');
    let read = 0;
    const hash = createHash('sha256');
    stdout.on('data', (chunk: Buffer) => {
      read += chunk.length;
      hash.update(chunk);
      stdout.pause();
      setImmediate(() => stdout.resume());
    });
    expect((await command.finished).code).toBe(0);
    expect([read, hash.digest('hex')]).toEqual([bytes, patternHash(bytes)]);
  });

  it('that is interrupted ends with the code of the signal, and the request with it', async () => {
    const command = start(['get', stage.link, '/hold']);
    await stage.origin.held.take();
    command.kill('SIGINT');
    expect((await command.finished).code).toBe(130);
    await stage.origin.broken.take({ matches: (path) => path === '/hold' });
  });
});

describe('the link', () => {
  it('may come from stdin or a variable, so that nobody sees it in a list of processes', async () => {
    const byStdin = await run(['get', '-', '/x'], { stdin: `${stage.link}\n` });
    const byVariable = await run(['get', '/x'], { env: { OPENCHAMBER_TUNNEL_LINK: stage.link } });
    expect([byStdin.stdout.toString(), byVariable.stdout.toString()]).toEqual(['GET /x', 'GET /x']);
  });

  it('may be of any page', async () => {
    const link = `https://example.org/app#${stage.link.split('#')[1]}`;
    expect((await run(['get', link, '/x'])).stdout.toString()).toBe('GET /x');
  });

  it('with a wrong or missing secret is refused before the origin hears of it', async () => {
    const before = stage.origin.seen.length;
    for (const link of [withWrongSecret(stage.link), stage.link.replace(/&s=.*/, '')]) {
      const { code, stdout } = await run(['get', link, '/guess']);
      expect([code, JSON.parse(stdout.toString())]).toMatchObject([22, { error: 'pairing_required' }]);
    }
    expect(stage.origin.seen).toHaveLength(before);
  });

  it.each([
    ['not a link', 'Invalid LINK: not a pairing link'],
    ['openchamber://pair#v=2&s=TOPSECRET', 'Invalid LINK: the pairing link is of another version'],
    ['openchamber://pair#v=1&r=ws://x/&s=TOPSECRET', 'Invalid LINK: the pairing link has no valid server id'],
  ])('%j is refused in one line that repeats nothing of it', async (link, problem) => {
    const { code, stdout, stderr } = await run(['get', link, '/']);
    expect([code, stdout.toString(), stderr.split('\n').length]).toEqual([1, '', 2]);
    expect(stderr).toContain(problem);
    expect(stderr).not.toContain('TOPSECRET');
  });
});

describe('without an answer', () => {
  it('no relay is told of after 3 s, and is one line and exit code 1, and JSON when asked for', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const address = closed.address();
    closed.close();
    const port = typeof address === 'object' ? address?.port : 0;
    const link = stage.link.replace(/r=[^&]+/, `r=${encodeURIComponent(`ws://127.0.0.1:${port}/ws`)}`);
    const command = start(['get', link, '/', '--output', 'x', '--json']);
    const silent = start(['get', link, '/', '--quiet']);
    const { code, stdout, stderr } = await command.finished;
    expect(code).toBe(1);
    const [wait, problem, ...more] = stderr.split('\n');
    expect(wait).toMatch(/^Waiting for the tunnel \(reconnecting: .*relay.*\)$/);
    expect(problem).toMatch(/^No connection to the Host within 15 s: the relay /);
    expect(more).toEqual(['']);
    expect(JSON.parse(stdout.toString())).toEqual({ status: 'error', error: problem });
    expect((await silent.finished).stderr).toBe(`${problem}\n`);
  }, 60_000);
});
