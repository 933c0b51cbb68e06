import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, textOf } from './support/ask.ts';
import { run } from './support/command.ts';
import { shared } from './support/keep.ts';
import { connect, ownRelay, setScene, setStage, withWrongSecret } from './support/tunnel.ts';

const relay = shared((keep) => ownRelay(keep));

interface Listed {
  readonly pairings: { id: string; label: string; createdAt: string; lastUsedAt: string | null }[];
}

async function list(state: string): Promise<Listed['pairings']> {
  const { stdout } = await run(['pairs', '--json', '--state', state]);
  return (JSON.parse(stdout.toString()) as Listed).pairings;
}

/** Makes a pairing; its link. */
async function pair(state: string, label: string): Promise<string> {
  const { code, stdout, stderr } = await run(['pair', label, '--quiet', '--state', state]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.toString().trim();
}

describe('pairings', () => {
  it('are made, listed without secrets, used, and revoked, while expose runs', async () => {
    const { state, link, origin } = await setStage({ relay });
    const phone = await pair(state, 'phone');
    expect(phone).not.toBe(link);
    for (const each of [link, phone]) {
      expect((await run(['get', each, '/x'])).stdout.toString()).toBe('GET /x');
    }
    const listed = await list(state);
    expect(listed.map(({ label }) => label)).toEqual(['device-1', 'phone']);
    expect(JSON.stringify(listed)).not.toContain(new URLSearchParams(phone.split('#')[1]).get('s'));
    const revoked = await run(['revoke', 'phone', '--state', state]);
    expect(revoked.stdout.toString()).toBe(`Revoked ${listed[1]?.id} ("phone")\n`);
    const seen = origin.seen.length;
    const refused = await run(['get', phone, '/x']);
    expect([refused.code, JSON.parse(refused.stdout.toString())]).toMatchObject([
      22,
      { error: 'pairing_revoked' },
    ]);
    expect(origin.seen).toHaveLength(seen);
    expect((await run(['get', link, '/x'])).code).toBe(0);
  });

  it('remember their last use, at the latest when expose stops', async () => {
    const { state, link, command } = await setStage({ relay });
    await pair(state, 'phone');
    await run(['get', link, '/x']);
    command.kill('SIGTERM');
    await command.finished;
    const [used, unused] = await list(state);
    expect(Date.parse(used?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(used?.createdAt ?? ''));
    expect(unused?.lastUsedAt).toBeNull();
  });

  it('that many commands make and revoke at once are all there', async () => {
    const { state } = await setStage({ relay });
    const labels = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(labels.map((label) => pair(state, label)));
    const [ended] = await Promise.all([
      Promise.all(['a', 'c', 'device-1'].map((label) => run(['revoke', label, '--state', state]))),
      pair(state, 'g'),
    ]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect((await list(state)).map(({ label }) => label).toSorted()).toEqual(['b', 'd', 'e', 'f', 'g']);
  });

  it('are all revoked by --all, and a wrong word revokes none', async () => {
    const { state } = await setStage({ relay });
    await pair(state, 'phone');
    const wrong = await run(['revoke', 'phone', 'fone', '--state', state]);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/^No pairing "fone": expected one of /),
    ]);
    expect(await list(state)).toHaveLength(2);
    const all = await run(['revoke', '--all', '--json', '--state', state]);
    expect(JSON.parse(all.stdout.toString())).toMatchObject({
      revoked: [{ label: 'device-1' }, { label: 'phone' }],
    });
    expect(await list(state)).toEqual([]);
    const none = await run(['pairs', '--state', state]);
    expect(none.stdout.toString()).toBe('There are no pairings; openchamber-tunnel pair makes one.\n');
  });

  it('have one label each', async () => {
    const { state } = await setStage({ relay });
    const { code, stderr } = await run(['pair', 'device-1', '--state', state]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^There is a pairing "device-1" already/)]);
  });
});

describe('a revocation', () => {
  it('cuts a download that is under way, within 2 s, and others of that pairing only', async () => {
    const { state, url, link, origin } = await setScene({ relay });
    const phone = await connect(await pair(state, 'phone'));
    const answers = [];
    for (const each of [url, phone.url]) {
      const asked = ask(`${each}/hold`);
      const held = await origin.held.take();
      held.write('first');
      const answer = await asked;
      await once(answer, 'data');
      answers.push({ answer, held });
    }
    const [mine, theirs] = answers;
    if (mine === undefined || theirs === undefined) throw new Error('there are two');
    const ended = once(theirs.answer, 'end').catch((error: Error & { code?: string }) => error.code);
    expect((await run(['revoke', 'phone', '--state', state])).code).toBe(0);
    const revokedAt = performance.now();
    expect(await ended).toBe('ECONNRESET');
    expect(performance.now() - revokedAt).toBeLessThan(2000);
    const after = await ask(`${phone.url}/x`);
    expect([after.statusCode, JSON.parse(await textOf(after))]).toMatchObject([
      401,
      { error: 'pairing_revoked' },
    ]);
    // The channel stands again, so only this tells whoever looks at the command.
    await phone.command.json(
      ({ state: now, refusal }) => now === 'connected' && refusal === 'pairing_revoked',
    );
    await textOf(await ask(`${phone.url}/x`));
    expect(phone.command.stderr()).toBe('Warning: the pairing was revoked: ask for a new link\n');
    mine.held.end('last');
    expect(await textOf(mine.answer)).toBe('last');
    expect((await run(['get', link, '/x'])).code).toBe(0);
  });
});

describe('guesses', () => {
  it('reach nothing, and end the connection after 20', async () => {
    const { link, origin, command } = await setStage({ relay });
    const guesser = await connect(withWrongSecret(link));
    await guesser.command.json(({ state }) => state === 'connected');
    for (let guess = 1; guess <= 20; guess += 1) {
      const status = await ask(`${guesser.url}/guess`).then(
        async (answer) => [answer.statusCode, JSON.parse(await textOf(answer)).error],
        (error: { code?: string }) => [error.code],
      );
      if (guess < 20) expect(status).toEqual([401, 'pairing_required']);
    }
    await guesser.command.json(({ code }) => code === 'ERR_RELAY_CLIENT_CONNECTION_LOST');
    expect(origin.seen).toEqual([]);
    await command.json(({ lastError }) => String(lastError).includes('pairing_required'));
  });
});

it('no secret stands in anything that is printed, but in the link', async () => {
  const { state, link, command, host } = await setScene({ relay });
  const text = await readFile(join(state, 'default', 'pairs.json'), 'utf8');
  const { pairings } = JSON.parse(text) as { pairings: { secret: string }[] };
  const secret = pairings[0]?.secret ?? '';
  expect(link.endsWith(`&s=${secret}`)).toBe(true);
  await command.json((status) => status['state'] === 'connected');
  host.kill('SIGTERM');
  await host.finished;
  await command.json((status) => status['state'] === 'reconnecting');
  const printed = host.stdout().replace(link, '') + host.stderr() + command.stdout() + command.stderr();
  expect(printed).not.toContain(secret);
});
