import { describe, expect, it } from 'vitest';
import {
  AUTO_FRAGMENTATION,
  BROKEN_UTF8,
  CLOSING,
  FRAGMENTATION,
  FRAMING,
  LIMITS,
  OPCODES,
  PINGS_AND_PONGS,
  RESERVED_BITS,
  UTF8,
} from './cases.ts';
import { deliveriesOf, play, playText, useRig } from './rig.ts';

useRig();

describe.each([
  ['1 Framing', FRAMING],
  ['2 Pings and pongs', PINGS_AND_PONGS],
  ['3 Reserved bits', RESERVED_BITS],
  ['4 Opcodes', OPCODES],
  ['5 Fragmentation', FRAGMENTATION],
  ['6 UTF-8', UTF8],
  ['7 Close handling', CLOSING],
  ['9 Limits', LIMITS],
  ['10 Auto-fragmentation', AUTO_FRAGMENTATION],
])('%s', (_group, cases) => {
  it.each(deliveriesOf(cases))('$id, $delivery', async ({ one, delivery }) => {
    await play(one, delivery);
    expect(one.id).toMatch(/^\d+(?:\.\d+)+ /u);
  });
});

describe('6 UTF-8, broken', () => {
  it.each(BROKEN_UTF8)('$id', async ({ bytes }) => {
    expect(await playText(bytes)).toEqual(bytes);
  });
});

describe('the list', () => {
  it('gives each case an id of its own', () => {
    const ids = [
      ...[FRAMING, PINGS_AND_PONGS, RESERVED_BITS, OPCODES, FRAGMENTATION].flat(),
      ...[UTF8, BROKEN_UTF8, CLOSING, LIMITS, AUTO_FRAGMENTATION].flat(),
    ].map(({ id }) => id.split(' ')[0]);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
