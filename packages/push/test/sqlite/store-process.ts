// A process with a store, for tests that need another process than their own:
//   open PATH         opens it, says so or why not, and stays until its standard input ends
//   write PATH SEED   opens it and writes until it is killed; says what it is about to do and what was acknowledged
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { silentLogger, systemClock } from '@openchambery/daemon';
import { openSqliteBindingStore } from '../../src/sqlite/open-sqlite-binding-store.ts';
import type { SqliteBindingStore } from '../../src/sqlite/sqlite-binding-store.ts';

const [mode = '', path = '', seed = ''] = process.argv.slice(2);

/** Synchronous: what was said has left the process whatever happens next. */
function say(...words: readonly string[]): void {
  writeSync(1, `${words.join(' ')}\n`);
}

function hash(text: string): Buffer {
  return createHash('sha256').update(`${seed} ${text}`).digest();
}

const serverId = createHash('sha256').update('writer').digest('base64url');

/** Five requests in one turn: three registrations, a claim, and an unregistration of a token of the turn before. */
async function writeTurn(store: SqliteBindingStore, turn: number): Promise<void> {
  const mark = (text: string, route = '/register') => {
    return { serverId, textHash: hash(text), route, ts: Date.now(), ip: '192.0.2.1' };
  };
  const request = (name: string) =>
    ({ token: hash(name).toString('hex'), platform: 'ios', kind: 'device' }) as const;
  const registrations = [0, 1, 2].map(async (n) => {
    const registration = { ...request(`token ${turn} ${n}`), mark: mark(`register ${turn} ${n}`) };
    const { kind } = await store.register(registration);
    say('registered', registration.token, registration.mark.textHash.toString('hex'), kind);
  });
  const claim = mark(`claim ${turn}`, '/send');
  const claimed = store.claim(claim).then(({ kind }) => say('claimed', claim.textHash.toString('hex'), kind));
  const { token } = request(`token ${turn - 1} 0`);
  say('unregistering', token);
  const removed = store.unregister({ token, mark: mark(`unregister ${turn}`) });
  await Promise.all([
    ...registrations,
    claimed,
    removed.then(({ kind }) => say('unregistered', token, kind)),
  ]);
}

async function main(): Promise<void> {
  say('opening');
  const limits = { maxTokens: 1_000_000, maxReplayEntries: 1_000_000, replayMs: 3_600_000 };
  const store = openSqliteBindingStore({ path, limits, clock: systemClock, logger: silentLogger });
  say('open', String(store.counts().bindingCount));
  if (mode === 'write') for (let turn = 1; ; turn++) await writeTurn(store, turn);
  for await (const chunk of process.stdin) if (String(chunk) === 'close\n') break;
  await store.close();
  say('closed');
}

main().catch((error: unknown) => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  say('error', code, error instanceof Error ? error.message : String(error));
});
