import { rename, unlink, writeFile } from 'node:fs/promises';
import { systemClock } from '@openchambery/tunnel';
import { describe, expect, it } from 'vitest';
import { addPairing, revokePairings } from '../../../src/pairs/pairing-changes.ts';
import { MAX_WRONG_SECRETS, PairingGuard } from '../../../src/pairs/pairing-guard.ts';
import { PairingStore } from '../../../src/pairs/pairing-store.ts';
import { PairingView } from '../../../src/pairs/pairing-view.ts';
import { createPairing } from '../../../src/pairs/pairing.ts';
import { temporaryExposure } from '../support/folder.ts';

const WRONG = 'AAAAAAAAAAAAAAAAAAAAAA';

async function makeGuard(...labels: string[]) {
  const files = await temporaryExposure();
  const store = new PairingStore(files, systemClock);
  const secrets = new Map<string, string>();
  for (const label of labels) {
    const { live } = await store.update((pairings) => addPairing(pairings, label, 1).pairings);
    secrets.set(label, live.at(-1)?.secret ?? '');
  }
  const view = new PairingView(files.pairs);
  const disconnected: [string, string][] = [];
  const uses: string[] = [];
  const guard = new PairingGuard({
    look: () => view.look(),
    disconnect: (connectionId, reason) => void disconnected.push([connectionId, reason]),
    onUse: (id) => void uses.push(id),
  });
  const ask = (secret: string | undefined, connectionId = 'c1') => {
    const admission = guard.admit({ connectionId, kind: 'http', method: 'GET', path: '/', secret });
    return admission.isAllowed ? 'allowed' : `${admission.status} ${admission.error}`;
  };
  const revoke = (label: string) => store.update((pairings) => revokePairings(pairings, [label], 2));
  return { files, guard, ask, revoke, secrets, disconnected, uses };
}

describe('a request', () => {
  it('with the secret of any pairing is let in, and counts as its use', async () => {
    const { ask, secrets, uses } = await makeGuard('a', 'b', 'c');
    for (const secret of secrets.values()) expect(ask(secret)).toBe('allowed');
    expect(new Set(uses).size).toBe(3);
  });

  it.each([undefined, '', WRONG, 'x'.repeat(60_000)])('with %s is not', async (secret) => {
    const { ask, uses } = await makeGuard('a');
    expect(ask(secret)).toBe('401 pairing_required');
    expect(uses).toEqual([]);
  });

  it('with the secret of a revoked pairing is told so, at once', async () => {
    const { ask, revoke, secrets } = await makeGuard('a', 'b');
    expect(ask(secrets.get('a'))).toBe('allowed');
    await revoke('a');
    expect(ask(secrets.get('a'))).toBe('401 pairing_revoked');
    expect(ask(secrets.get('b'))).toBe('allowed');
  });

  it('is refused while the file cannot be read, for a revocation may stand in it', async () => {
    const { files, ask, secrets } = await makeGuard('a');
    await rename(files.pairs, `${files.pairs}.away`);
    await writeFile(files.pairs, '{ half');
    expect(ask(secrets.get('a'))).toBe('401 pairing_unreadable');
    await rename(`${files.pairs}.away`, files.pairs);
    expect(ask(secrets.get('a'))).toBe('allowed');
  });

  it('is refused when the file is gone', async () => {
    const { files, ask, secrets } = await makeGuard('a');
    await unlink(files.pairs);
    expect(ask(secrets.get('a'))).toBe('401 pairing_required');
  });
});

describe('a connection', () => {
  it(`is ended with the ${MAX_WRONG_SECRETS}th wrong secret, whatever came between`, async () => {
    const { ask, disconnected, secrets } = await makeGuard('a');
    for (let count = 1; count < MAX_WRONG_SECRETS; count += 1) ask(WRONG);
    ask(secrets.get('a'));
    ask(undefined);
    expect(disconnected).toEqual([]);
    ask(WRONG);
    expect(disconnected).toEqual([['c1', 'too many wrong pairing secrets']]);
  });

  it('has its own count', async () => {
    const { ask, disconnected } = await makeGuard('a');
    for (let count = 0; count < 3 * MAX_WRONG_SECRETS; count += 1) ask(WRONG, `c${count % 6}`);
    expect(disconnected).toEqual([]);
  });

  it('of a revoked pairing is ended, others are not', async () => {
    const { guard, ask, revoke, secrets, disconnected } = await makeGuard('a', 'b');
    ask(secrets.get('a'), 'c1');
    ask(secrets.get('b'), 'c2');
    guard.enforce();
    expect(disconnected).toEqual([]);
    await revoke('a');
    guard.enforce();
    guard.enforce();
    expect(disconnected).toEqual([['c1', 'the pairing was revoked']]);
  });

  it('that is over already is not ended', async () => {
    const { guard, ask, revoke, secrets, disconnected } = await makeGuard('a');
    ask(secrets.get('a'), 'c1');
    guard.forget('c1');
    await revoke('a');
    guard.enforce();
    expect(disconnected).toEqual([]);
  });

  it('goes on while the file cannot be read', async () => {
    const { files, guard, ask, secrets, disconnected } = await makeGuard('a');
    ask(secrets.get('a'), 'c1');
    await writeFile(files.pairs, 'damaged');
    guard.enforce();
    expect(disconnected).toEqual([]);
  });
});

it('secrets differ', () => {
  expect(createPairing('a', 1).secret).not.toBe(WRONG);
});
