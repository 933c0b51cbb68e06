import type { RawResponse } from '@openchambery/client';
import { describe, expect, it } from 'vitest';
import { PairingStanding, watchForVerdict } from '../../../src/connect/pairing-standing.ts';
import type { PairingRefusal, PairingVerdict } from '../../../src/connect/pairing-standing.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Reads an answer to its end. */
async function watch(status: number, chunks: readonly string[], headers: RawResponse['headers'] = JSON_TYPE) {
  const verdicts: PairingVerdict[] = [];
  const left = chunks.map((chunk) => new TextEncoder().encode(chunk));
  const body = { read: () => Promise.resolve(left.shift()), discard: () => undefined };
  const watched = watchForVerdict({ status, headers, body }, (verdict) => void verdicts.push(verdict));
  let text = '';
  for (let chunk = await watched.read(); chunk !== undefined; chunk = await watched.read()) {
    text += new TextDecoder().decode(chunk);
    // As a stream does that writes the next chunk into the same memory.
    chunk.fill(0);
  }
  expect(text).toBe(chunks.join(''));
  return verdicts;
}

describe('an answer', () => {
  it.each(['pairing_required', 'pairing_revoked'])(
    'that says %s is a refusal, in however many pieces',
    async (error) => {
      const text = JSON.stringify({ error, message: 'x' });
      expect(await watch(401, [text])).toEqual([error]);
      expect(await watch(401, Array.from(text))).toEqual([error]);
    },
  );

  it.each([
    ['another error', JSON.stringify({ error: 'login_required' })],
    ['a name that every object has', JSON.stringify({ error: 'toString' })],
    ['no object', 'null'],
    ['no JSON', '{'],
    ['nothing', ''],
  ])('of 401 with %s says nothing', async (_what, text) => {
    expect(await watch(401, [text])).toEqual([]);
  });

  it('is looked at up to 1024 bytes', async () => {
    const text = JSON.stringify({ error: 'pairing_revoked' });
    expect(await watch(401, [text.padEnd(1024)])).toEqual(['pairing_revoked']);
    expect(await watch(401, [text.padEnd(1025)])).toEqual([]);
    expect(await watch(401, [text, ' '.repeat(2000), ' '])).toEqual([]);
  });

  it('of another type or status is no refusal', async () => {
    const text = JSON.stringify({ error: 'pairing_revoked' });
    expect(await watch(401, [text], { 'content-type': 'text/html' })).toEqual([]);
    expect(await watch(403, [text])).toEqual([]);
  });

  it.each([200, 304, 399])('of %i shows that the pairing counts', async (status) => {
    expect(await watch(status, ['x'])).toEqual(['accepted']);
  });

  it.each([400, 404, 500, 502])('of %i shows nothing', async (status) => {
    expect(await watch(status, ['x'])).toEqual([]);
  });
});

it('a standing tells of changes, not of each answer', () => {
  const standing = new PairingStanding();
  const told: (PairingRefusal | undefined)[] = [];
  standing.judge('pairing_required');
  standing.onChange((refusal) => void told.push(refusal));
  for (const verdict of ['pairing_required', 'pairing_revoked', 'pairing_revoked'] as const)
    standing.judge(verdict);
  expect([standing.refusal, told]).toEqual(['pairing_revoked', ['pairing_revoked']]);
  for (const verdict of ['accepted', 'accepted', 'pairing_revoked'] as const) standing.judge(verdict);
  expect(told).toEqual(['pairing_revoked', undefined, 'pairing_revoked']);
});
