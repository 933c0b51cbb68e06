import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventually, hold, makeDeviceToken, makeIdentity, runPush, sendRequest } from '@openchambery/testkit';
import type { FinishedCommand, HostIdentity } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import {
  boundServer,
  expectRefused,
  post,
  postText,
  reaches,
  register,
  rowsOf,
  send,
} from './support/push-http.ts';
import { ownPush, ownSurroundings, startAmong } from './support/push-setup.ts';
import type { PushSetup, PushSurroundings } from './support/push-setup.ts';

// Push API §2 (the database) and §5 (shutdown).

async function readyz(setup: PushSetup): Promise<readonly [number, string]> {
  const { status, text } = await postText(setup, '/readyz', '', { method: 'GET' });
  return [status, text];
}

/** Starts to stop, and waits until it shows. */
async function beginShutdown(setup: PushSetup, signal: NodeJS.Signals): Promise<void> {
  setup.push.kill(signal);
  await eventually(async () => expect(await readyz(setup)).toEqual([503, '{"status":"draining"}']), {
    everyMs: 5,
  });
}

describe.concurrent('shutdown', { timeout: 40_000 }, () => {
  it.for(['SIGTERM', 'SIGINT'] as const)(
    'by %s of an idle process is exit 0 at once',
    async (signal, { onTestFinished }) => {
      const setup = await ownPush({ onTestFinished });
      const startedAt = performance.now();
      setup.push.kill(signal);
      expect(await setup.push.exited).toEqual({ code: 0, signal: null });
      expect(performance.now() - startedAt).toBeLessThan(4000);
    },
  );

  it('lets deliveries under way finish and refuses what is new', async ({ onTestFinished }) => {
    const setup = await ownPush({ onTestFinished });
    const { identity, token } = await boundServer(setup);
    const held = hold();
    setup.sandbox.script(token, held);
    const answer = send(setup, identity, { tokens: [token] });
    await setup.sandbox.waitForRequests(1);
    await beginShutdown(setup, 'SIGTERM');

    const request = sendRequest(identity, { tokens: [token], title: 'too late' });
    expectRefused(await post(setup, request), 503, 'shutting_down');
    for (const path of ['/v1/push/register-token', '/v1/push/live-activity']) {
      expectRefused(await postText(setup, path, '{}'), 503, 'shutting_down');
    }
    const health = await postText(setup, '/healthz', '', { method: 'GET' });
    expect([health.status, health.text]).toEqual([200, '{"status":"ok"}']);
    const headOnly = await postText(setup, '/readyz', '', { method: 'HEAD' });
    expect([headOnly.status, headOnly.text]).toEqual([503, '']);

    held.release();
    expect(await answer).toEqual([{ token, ok: true }]);
    expect(await setup.push.exited).toEqual({ code: 0, signal: null });
    expect(setup.sandbox.count(token)).toBe(1);
  });

  it('does not wait longer for them than five seconds and a half', async ({ onTestFinished }) => {
    const setup = await ownPush({ onTestFinished });
    const { identity, tokens } = await boundServer(setup, 3);
    const [silent = ''] = tokens;
    setup.sandbox.script(silent, { fault: 'silence' });
    const answer = send(setup, identity, { tokens: [silent] });
    await setup.sandbox.waitForRequests(1);
    const startedAt = performance.now();
    setup.push.kill('SIGTERM');
    expect(await setup.push.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(7500);
    expect(await answer).toEqual([{ token: silent, ok: false }]);
  });

  it('does not give those that still wait for their turn another five seconds', async ({
    onTestFinished,
  }) => {
    const setup = await ownPush({ limits: { MAX_IN_FLIGHT: 1 }, onTestFinished });
    const { identity, tokens } = await boundServer(setup, 2);
    for (const token of tokens) setup.sandbox.script(token, { fault: 'silence' });
    const answer = send(setup, identity, { tokens });
    await setup.sandbox.waitForRequests(1);
    const startedAt = performance.now();
    setup.push.kill('SIGTERM');
    expect(await setup.push.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(7500);
    expect(await answer).toEqual(tokens.map((token) => ({ token, ok: false })));
  });

  it('does not wait for a request whose body never comes', async ({ onTestFinished }) => {
    const setup = await ownPush({ onTestFinished });
    const pending = postText(setup, '/v1/push/send', '{', {
      headers: { 'content-length': '100' },
      timeoutMs: 15_000,
    }).catch(() => 'ended');
    await boundServer(setup);
    const startedAt = performance.now();
    setup.push.kill('SIGTERM');
    expect(await setup.push.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(8000);
    await pending;
  });
});

/** What the command says when it refuses the database. */
async function complaint({ startOptions }: PushSurroundings, databasePath: string): Promise<FinishedCommand> {
  const limits = { ...startOptions.limits, DATABASE_PATH: databasePath, PORT: 1 };
  const finished = await runPush({ ...startOptions, limits, args: ['--port', '48711'] });
  expect([finished.code, finished.stdout], finished.stderr).toEqual([1, '']);
  return finished;
}

describe('one process for a file', () => {
  it('a second one refuses to start, says why and leaves the first alone', async () => {
    const surroundings = await ownSurroundings();
    const setup = await startAmong(surroundings);
    const { identity, token } = await boundServer(setup);
    const { stderr } = await complaint(surroundings, surroundings.databasePath);
    expect(stderr).toContain(surroundings.databasePath);
    expect(stderr).not.toContain('    at ');
    expect(await reaches(setup, identity, token)).toBe(true);
    await register(setup, identity, makeDeviceToken());
  });

  it('a second one refuses by another name of the file, too', async () => {
    const surroundings = await ownSurroundings();
    await startAmong(surroundings);
    const link = join(dirname(dirname(surroundings.databasePath)), 'link.sqlite');
    symlinkSync(surroundings.databasePath, link);
    expect((await complaint(surroundings, link)).stderr).toMatch(/link\.sqlite|push\.sqlite/u);
    const dotted = join(dirname(surroundings.databasePath), '.', '..', 'data', 'push.sqlite');
    await complaint(surroundings, dotted.replace('/data/', '/./data/'));
  });

  it('and a next one may start when it is gone, however it went', async () => {
    const surroundings = await ownSurroundings();
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
      const setup = await startAmong(surroundings);
      setup.push.kill(signal);
      await setup.push.exited;
    }
  });

  it('of two that start at the same time one gives way', async () => {
    const surroundings = await ownSurroundings();
    const outcomes = await Promise.allSettled([startAmong(surroundings), startAmong(surroundings)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('the database file', () => {
  it('has its folder made, uses WAL and strict tables', async () => {
    const surroundings = await ownSurroundings();
    const databasePath = join(dirname(surroundings.databasePath), 'a', 'b', 'c.sqlite');
    const setup = await startAmong(surroundings, { limits: { DATABASE_PATH: databasePath } });
    await boundServer(setup);
    setup.push.kill('SIGTERM');
    await setup.push.exited;
    const database = new DatabaseSync(databasePath, { readOnly: true });
    try {
      expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
      const tables = database
        .prepare(
          "SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
        )
        .all();
      expect(tables.length).toBeGreaterThan(0);
      for (const table of tables) expect(table).toMatchObject({ strict: 1 });
    } finally {
      database.close();
    }
  });

  it.each<readonly [string, (folder: string) => string]>([
    [
      'is text',
      (folder) => {
        const path = join(folder, 'notes.txt');
        writeFileSync(path, 'These are notes, and no database at all.\n'.repeat(100));
        return path;
      },
    ],
    [
      'is a folder',
      (folder) => {
        const path = join(folder, 'folder');
        mkdirSync(path);
        return path;
      },
    ],
    [
      'lies in a file',
      (folder) => {
        writeFileSync(join(folder, 'file'), '');
        return join(folder, 'file', 'push.sqlite');
      },
    ],
    ['lies where nothing can be made', () => '/proc/none/push.sqlite'],
    [
      'is a database that has been damaged',
      (folder) => {
        const path = join(folder, 'damaged.sqlite');
        const database = new DatabaseSync(path);
        database.exec(
          'CREATE TABLE push_tokens(token TEXT PRIMARY KEY, server_id TEXT, platform TEXT, updated_at INTEGER)',
        );
        const insert = database.prepare('INSERT INTO push_tokens VALUES (?, ?, ?, ?)');
        database.exec('BEGIN');
        for (let i = 0; i < 500; i++) insert.run(makeDeviceToken(), 'server', 'ios', Date.now());
        database.exec('COMMIT');
        database.close();
        const bytes = readFileSync(path);
        bytes.fill(0xa5, 4096 * 2);
        writeFileSync(path, bytes);
        return path;
      },
    ],
    [
      'belongs to another program',
      (folder) => {
        const path = join(folder, 'other.sqlite');
        const database = new DatabaseSync(path);
        database.exec('CREATE TABLE push_tokens(something INTEGER, else_ BLOB)');
        database.close();
        return path;
      },
    ],
  ])('that %s is refused by a line that names it', async (_name, prepare) => {
    const surroundings = await ownSurroundings();
    const folder = dirname(dirname(surroundings.databasePath));
    const path = prepare(folder);
    const { stderr } = await complaint(surroundings, path);
    expect(stderr).toContain(path);
    expect(stderr).not.toContain('    at ');
  });
});

describe('the database of a deployed relay', () => {
  interface Row {
    readonly token: string;
    readonly serverId: string;
    readonly platform?: string;
  }

  function deployed(rows: readonly Row[], columns: string) {
    return (path: string): void => {
      mkdirSync(dirname(path), { recursive: true });
      const database = new DatabaseSync(path);
      database.exec(`CREATE TABLE push_tokens(${columns})`);
      const insert = database.prepare(
        'INSERT INTO push_tokens(token, server_id, platform, updated_at) VALUES (?, ?, ?, ?)',
      );
      database.exec('BEGIN');
      for (const { token, serverId, platform = 'ios' } of rows)
        insert.run(token, serverId, platform, Date.now() - 1000);
      database.exec('COMMIT');
      database.close();
    };
  }

  async function expectTakenOver(
    columns: string,
    tokenOf: (token: string) => string = (token) => token,
  ): Promise<void> {
    const [first, second]: readonly HostIdentity[] = [makeIdentity(), makeIdentity()];
    if (first === undefined || second === undefined) throw new Error('no identities');
    const bindings = Array.from({ length: 40 }, (_, i) => ({
      identity: i % 2 === 0 ? first : second,
      token: makeDeviceToken(),
    }));
    const rows = bindings.map(({ identity, token }) => ({
      token: tokenOf(token),
      serverId: identity.serverId,
    }));
    const surroundings = await ownSurroundings({ prepare: deployed(rows, columns) });
    // Twice: the second start finds what the first has made of it.
    for (let start = 0; start < 2; start++) {
      const setup = await startAmong(surroundings);
      for (const [identity, other] of [
        [first, second],
        [second, first],
      ] as const) {
        const tokens = bindings.filter((one) => one.identity === identity).map(({ token }) => token);
        const sent = rowsOf(await post(setup, sendRequest(identity, { tokens, title: 'taken over' })));
        expect(sent).toEqual(tokens.map((token) => ({ token, ok: true })));
        expect(await reaches(setup, other, tokens[0] ?? '')).toBe(false);
      }
      const { identity, token } = await boundServer(setup);
      expect(await reaches(setup, identity, token)).toBe(true);
      setup.push.kill('SIGTERM');
      expect(await setup.push.exited).toEqual({ code: 0, signal: null });
    }
  }

  it('is taken over', async () => {
    await expectTakenOver(
      'token TEXT NOT NULL PRIMARY KEY, server_id TEXT NOT NULL, platform TEXT NOT NULL, updated_at REAL NOT NULL',
    );
  });

  it('with tokens in upper case is taken over', async () => {
    const columns = 'token TEXT PRIMARY KEY, server_id TEXT, platform TEXT, updated_at INTEGER';
    await expectTakenOver(columns, (token) => token.toUpperCase());
  });

  it('without a row is taken over', async () => {
    const columns = 'token TEXT PRIMARY KEY, server_id TEXT, platform TEXT, updated_at INTEGER';
    const setup = await ownPush({ prepare: deployed([], columns) });
    const { identity, token } = await boundServer(setup);
    expect(await reaches(setup, identity, token)).toBe(true);
  });

  it('counts towards MAX_TOKENS, and what it holds may still change hands', async () => {
    const columns = 'token TEXT PRIMARY KEY, server_id TEXT, platform TEXT, updated_at INTEGER';
    const tokens = [makeDeviceToken(), makeDeviceToken()];
    const rows = tokens.map((token) => ({ token, serverId: makeIdentity().serverId }));
    const setup = await ownPush({ prepare: deployed(rows, columns), limits: { MAX_TOKENS: 2 } });
    const identity = makeIdentity();
    for (const token of tokens) await register(setup, identity, token);
    expect(await reaches(setup, identity, tokens[0] ?? '')).toBe(true);
  });
});

describe('what is remembered of environments', () => {
  it('survives a restart', async () => {
    const surroundings = await ownSurroundings();
    const first = await startAmong(surroundings);
    const { identity, token } = await boundServer(first);
    first.sandbox.script(token, { status: 400, reason: 'BadDeviceToken' });
    expect(await send(first, identity, { tokens: [token] })).toEqual([{ token, ok: true }]);
    first.push.kill('SIGTERM');
    await first.push.exited;
    const second = await startAmong(surroundings);
    expect(await send(second, identity, { tokens: [token] })).toEqual([{ token, ok: true }]);
    expect([second.sandbox.count(token), second.production.count(token)]).toEqual([1, 2]);
  });
});
