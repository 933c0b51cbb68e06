import { beforeEach, describe, expect, it } from 'vitest';
import { createGates } from '../../src/create-providers.ts';
import type { PushOutcome } from '../../src/provider/push-outcome.ts';
import { tokens } from '../support/bodies.ts';
import { CourierStage, SERVER } from '../support/courier-stage.ts';
import {
  ACCEPTED,
  dead,
  KEY_FAULT,
  LATER,
  MISMATCH,
  REQUEST_FAULT,
  UNKNOWN,
} from '../support/scripted-provider.ts';

const HOUR_MS = 3_600_000;
const [APPLE = ''] = tokens(1, 'ab');
const [ONE, TWO, THREE] = ['one:APA', 'two:APA', 'three:APA'] as const;

let stage: CourierStage;

beforeEach(() => {
  stage = new CourierStage();
  stage.bind(APPLE);
  for (const token of [ONE, TWO, THREE]) stage.store.bind(token, SERVER, { platform: 'android' });
});

describe('a push for phones of both kinds', () => {
  it('goes to each through its own service, in the form of that', async () => {
    expect(await stage.deliver([ONE, APPLE])).toEqual([
      { token: ONE, ok: true },
      { token: APPLE, ok: true },
    ]);
    expect(stage.android.sent.map(({ token }) => token)).toEqual([ONE]);
    expect(stage.provider.sent.map(({ token }) => token)).toEqual([APPLE]);
  });

  it('knows tokens of Android by their very spelling, and those of Apple by either', async () => {
    const hex = 'AB'.repeat(32);
    stage.store.bind(hex, SERVER, { platform: 'android' });
    expect(await stage.deliver([hex, 'ONE:APA', APPLE.toUpperCase()])).toEqual([
      { token: hex, ok: true },
      { token: 'ONE:APA', ok: false },
      { token: APPLE.toUpperCase(), ok: true },
    ]);
    expect(stage.android.sent.map(({ token }) => token)).toEqual([hex]);
  });

  it('holds a token that FCM wants left alone', async () => {
    stage.android.script({ kind: 'later', reason: 'QUOTA_EXCEEDED', retryAfterMs: 60_000 }, ONE);
    await stage.deliver([ONE]);
    await stage.deliver([ONE, TWO]);
    expect(stage.android.sent.map(({ token }) => token)).toEqual([ONE, TWO]);
  });

  it('loses nothing to a provider that throws', async () => {
    stage.android.script(() => Promise.reject(new Error('bug')), ONE);
    expect(await stage.deliver([ONE, TWO])).toMatchObject([{ ok: false }, { ok: true }]);
    expect(stage.told).toContain('bug');
  });
});

describe('a token of Android', () => {
  it('is dropped when FCM says that it is not registered any more', async () => {
    stage.android.script(dead(undefined), ONE);
    expect(await stage.deliver([ONE])).toEqual([{ token: ONE, ok: false, drop: true }]);
    expect(stage.store.bindings.has(ONE)).toBe(false);
  });

  it.each<PushOutcome>([LATER, UNKNOWN, REQUEST_FAULT, KEY_FAULT])('is kept after %j', async (outcome) => {
    stage.android.script(outcome, ONE);
    await stage.deliver([TWO]);
    expect(await stage.deliver([ONE])).toEqual([{ token: ONE, ok: false }]);
    expect(stage.store.bindings.has(ONE)).toBe(true);
  });

  it('of another project is dropped while others of this one are accepted: for an hour, to the millisecond', async () => {
    stage.android.script(MISMATCH, ONE);
    stage.android.script(MISMATCH, TWO);
    expect(await stage.deliver([ONE])).toEqual([{ token: ONE, ok: false }]);
    await stage.deliver([THREE]);
    stage.clock.advance(HOUR_MS);
    expect(await stage.deliver([ONE])).toEqual([{ token: ONE, ok: false, drop: true }]);
    stage.clock.advance(1);
    expect(await stage.deliver([TWO])).toEqual([{ token: TWO, ok: false }]);
  });

  it('that is dead, or of Apple and accepted, is no sign that the project is right', async () => {
    stage.android.script(MISMATCH, ONE);
    stage.android.script(dead(undefined), TWO);
    expect(await stage.deliver([ONE, TWO, APPLE])).toMatchObject([
      { ok: false },
      { drop: true },
      { ok: true },
    ]);
    expect(stage.store.bindings.has(ONE)).toBe(true);
  });

  it('is not dropped when all are refused, which is told once, and when it is over', async () => {
    stage.android.script(MISMATCH);
    for (let round = 0; round < 3; round++) await stage.deliver([ONE, TWO, THREE]);
    stage.android.script(ACCEPTED);
    await stage.deliver([ONE]);
    expect(stage.told).toEqual(['suspected fcm project', 'cleared fcm project']);
    expect(stage.store.settled).toEqual([]);
  });
});

describe('the places for deliveries', () => {
  const providers = (stage: CourierStage, both: 'both' | 'apple') => ({
    ios: stage.provider,
    android: both === 'both' ? stage.android : undefined,
  });

  /** How many deliveries that never end are begun, and how many find a place at all. */
  function countPlaces(max: number, both: 'both' | 'apple'): { begun: number; taken: number } {
    const gate = createGates(max, providers(stage, both)).ios;
    let begun = 0;
    let taken = 0;
    const never = (): Promise<never> => {
      begun++;
      return new Promise(() => undefined);
    };
    while (gate.run(never) !== undefined) taken++;
    return { begun, taken };
  }

  it.each([
    [1, 1],
    [5, 3],
    [64, 32],
  ])('of %d each platform has %d, and as many find a place or wait as without the other', (max, share) => {
    expect(countPlaces(max, 'apple')).toEqual({ begun: max, taken: 2 * max });
    expect(countPlaces(max, 'both')).toEqual({ begun: share, taken: 2 * max });
  });
});
