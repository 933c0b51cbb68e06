import { describe, expect, it } from 'vitest';
import { addPairing, pairingToShow, revokePairings } from '../../../src/pairs/pairing-changes.ts';
import { formatPairings, parsePairings } from '../../../src/pairs/pairs-text.ts';
import { MAX_LIVE, MAX_REVOKED, NO_PAIRINGS } from '../../../src/pairs/pairing.ts';
import type { Pairings } from '../../../src/pairs/pairing.ts';

function pairingsOf(...labels: (string | undefined)[]): Pairings {
  let pairings = NO_PAIRINGS;
  for (const label of labels) pairings = addPairing(pairings, label, 1000).pairings;
  return pairings;
}

const labelsOf = ({ live }: Pairings): string[] => live.map(({ label }) => label);

describe('adding', () => {
  it('makes secrets of 16 bytes, each another', () => {
    const secrets = pairingsOf('a', 'b', 'c').live.map(({ secret }) => secret);
    expect(new Set(secrets).size).toBe(3);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  it('finds a free label', () => {
    expect(labelsOf(pairingsOf(undefined, 'device-3', undefined, undefined))).toEqual([
      'device-1',
      'device-3',
      'device-2',
      'device-4',
    ]);
  });

  it('refuses a label that means another pairing already, by label or id', () => {
    const pairings = pairingsOf('phone');
    const id = pairings.live[0]?.id ?? '';
    for (const word of ['phone', id])
      expect(() => addPairing(pairings, word, 1)).toThrow(/^There is a pairing/);
  });

  it(`stops at ${MAX_LIVE}`, () => {
    const full = pairingsOf(...Array.from({ length: MAX_LIVE }, () => undefined));
    expect(full.live).toHaveLength(MAX_LIVE);
    expect(() => addPairing(full, undefined, 1)).toThrow(`There are ${MAX_LIVE} pairings, which is the most`);
  });
});

describe('what is shown', () => {
  it('is the newest, or the one of a label', () => {
    const pairings = pairingsOf('a', 'b');
    expect(pairingToShow(pairings, undefined)?.label).toBe('b');
    expect(pairingToShow(pairings, 'a')?.label).toBe('a');
    expect(pairingToShow(pairings, 'c')).toBeUndefined();
    expect(pairingToShow(NO_PAIRINGS, undefined)).toBeUndefined();
  });
});

describe('revoking', () => {
  it('goes by label and by id, also twice the same', () => {
    const pairings = pairingsOf('a', 'b', 'c');
    const id = pairings.live[1]?.id ?? '';
    const left = revokePairings(pairings, ['a', id, 'a'], 2000);
    expect(labelsOf(left)).toEqual(['c']);
    expect(left.revoked.map((each) => each.id)).toEqual([pairings.live[0]?.id, id]);
  });

  it('keeps no secret of what it revokes', () => {
    const pairings = pairingsOf('a');
    const text = formatPairings(revokePairings(pairings, ['a'], 2000));
    expect(text).not.toContain(pairings.live[0]?.secret);
  });

  it('revokes nothing when one of the words is wrong, and says what there is', () => {
    const pairings = pairingsOf('a', 'b');
    expect(() => revokePairings(pairings, ['a', 'x'], 1)).toThrow(
      /^No pairing "x": expected one of \w+ \("a"\), \w+ \("b"\)$/,
    );
  });

  it('does not repeat a link that was given for a label', () => {
    expect(() => revokePairings(pairingsOf('a'), ['openchamber://pair#s=secret'], 1)).toThrow(
      /^No such pairing: /,
    );
  });

  it(`remembers ${MAX_REVOKED}`, () => {
    const revoked = Array.from({ length: MAX_REVOKED }, (_unused, index) => ({
      id: `old${index}`,
      secretHash: 'A'.repeat(43),
      revokedAt: 1,
    }));
    const left = revokePairings({ ...pairingsOf('a'), revoked }, ['a'], 2);
    expect(left.revoked).toHaveLength(MAX_REVOKED);
    expect(left.revoked[0]?.id).toBe('old1');
  });
});

describe('the text of the file', () => {
  it('says the same when it is read', () => {
    const used = pairingsOf('a', 'b', 'ü "x"');
    const pairings = revokePairings(
      { ...used, live: used.live.map((each) => ({ ...each, lastUsedAt: 1_700_000_000_123 })) },
      ['b'],
      1_700_000_000_456,
    );
    expect(parsePairings(formatPairings(pairings))).toEqual(pairings);
    expect(parsePairings(formatPairings(pairingsOf('a')))).toMatchObject({
      live: [{ lastUsedAt: undefined }],
    });
  });

  it.each([
    [
      'a secret that is none',
      { pairings: [{ id: 'a', label: 'a', secret: 'x', createdAt: '2026-01-01', lastUsedAt: null }] },
    ],
    ['a time that is none', { revoked: [{ id: 'a', secretHash: 'A'.repeat(43), revokedAt: 'noon' }] }],
    [
      'a hash that is none',
      { revoked: [{ id: 'a', secretHash: 'A', revokedAt: '2026-01-01T00:00:00.000Z' }] },
    ],
    ['no list', { pairings: {} }],
  ])('with %s is not ours', (_name, members) => {
    expect(
      parsePairings(JSON.stringify({ version: 1, pairings: [], revoked: [], ...members })),
    ).toBeUndefined();
  });
});
