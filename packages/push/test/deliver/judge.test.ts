import { describe, expect, it } from 'vitest';
import type { Binding, Refusals } from '../../src/binding/binding.ts';
import type { Delivered, DeliveredByApple } from '../../src/deliver/delivery-job.ts';
import { type Evidence, judge } from '../../src/deliver/judge.ts';
import type { PushOutcome } from '../../src/provider/push-outcome.ts';
import { NOW_MS, TOKEN } from '../support/bodies.ts';
import {
  ACCEPTED,
  dead,
  KEY_FAULT,
  LATER,
  MISMATCH,
  REQUEST_FAULT,
  UNKNOWN,
} from '../support/scripted-provider.ts';

const DAY_MS = 86_400_000;
const TOPIC = 'com.example';

const BINDING: Binding = {
  token: TOKEN,
  serverId: 's',
  platform: 'ios',
  kind: 'device',
  environment: undefined,
  registeredAtMs: NOW_MS - 10 * DAY_MS,
  updatedAtMs: NOW_MS - 10 * DAY_MS,
  refusals: undefined,
};

function delivered(outcome: PushOutcome, more: Partial<DeliveredByApple> = {}): Delivered {
  return {
    platform: 'ios',
    binding: BINDING,
    asked: 'sandbox',
    outcome,
    environment: 'sandbox',
    isRefusedByBoth: false,
    ...more,
  };
}

function evidence(more: Partial<Evidence> = {}): Evidence {
  return {
    health: { isSuspected: () => false, isTrusted: () => false },
    topic: TOPIC,
    nowMs: NOW_MS,
    lastAcceptedAtMs: undefined,
    isLast: false,
    ...more,
  };
}

function after(refusals: Refusals): Binding {
  return { ...BINDING, refusals };
}

describe('a push that was accepted', () => {
  it('speaks for the token', () => {
    expect(judge(delivered(ACCEPTED), evidence())).toEqual({
      kind: 'accepted',
      binding: BINDING,
      environment: 'sandbox',
      topic: TOPIC,
    });
  });

  it('by the environment that was asked second is remembered with it', () => {
    const outcome = delivered(ACCEPTED, { environment: 'production' });
    expect(judge(outcome, evidence())).toEqual({
      kind: 'moved',
      binding: BINDING,
      environment: 'production',
      topic: TOPIC,
    });
    expect(judge(outcome, evidence({ isLast: true }))?.kind).toBe('drop');
  });

  it('ends the binding when it is the last', () => {
    expect(judge(delivered(ACCEPTED), evidence({ isLast: true }))).toEqual({
      kind: 'drop',
      binding: BINDING,
    });
  });
});

describe('a dead token', () => {
  it.each([
    ['after the registration', BINDING.registeredAtMs + 1, true],
    ['at the moment of it', BINDING.registeredAtMs, true],
    ['before it', BINDING.registeredAtMs - 1, false],
    ['at a time that is not told', undefined, true],
  ])('that died %s', (_, sinceMs, isDropped) => {
    const change = judge(delivered(dead(sinceMs)), evidence());
    expect(change).toEqual(isDropped ? { kind: 'drop', binding: BINDING } : undefined);
  });

  it('is dead although its environment refuses everything: it has known the token', () => {
    const suspicious = evidence({ health: { isSuspected: () => true, isTrusted: () => false } });
    expect(judge(delivered(dead(NOW_MS)), suspicious)).toEqual({ kind: 'drop', binding: BINDING });
  });

  it('is as dead at the end of a Live Activity', () => {
    expect(judge(delivered(dead(NOW_MS)), evidence({ isLast: true }))?.kind).toBe('drop');
  });
});

describe.each([LATER, UNKNOWN, REQUEST_FAULT, KEY_FAULT])(
  'an outcome that says nothing of the token: %j',
  (outcome) => {
    it('changes nothing', () => {
      expect(judge(delivered(outcome), evidence())).toBeUndefined();
      expect(judge(delivered(outcome), evidence({ isLast: true }))).toBeUndefined();
      const binding = after({ count: 100, firstAtMs: 0 });
      expect(judge(delivered(outcome, { binding }), evidence({ lastAcceptedAtMs: NOW_MS }))).toBeUndefined();
    });
  },
);

describe('a token that no environment knows', () => {
  it('is dead', () => {
    const outcome = delivered(MISMATCH, { isRefusedByBoth: true });
    expect(judge(outcome, evidence())).toEqual({ kind: 'drop', binding: BINDING });
  });

  it.each(['sandbox', 'production'])('is not while the %s refuses everything', (suspected) => {
    const outcome = delivered(MISMATCH, { isRefusedByBoth: true });
    const health = {
      isSuspected: (environment: string) => environment === suspected,
      isTrusted: () => false,
    };
    expect(judge(outcome, evidence({ health }))).toBeUndefined();
  });
});

describe('a token that one environment does not know, where the other cannot be asked', () => {
  const firstAtMs = NOW_MS - DAY_MS;

  function verdict(
    refusals: Refusals | undefined,
    lastAcceptedAtMs: number | undefined,
    isSuspected = false,
  ): unknown {
    const binding = refusals === undefined ? BINDING : after(refusals);
    const health = { isSuspected: () => isSuspected, isTrusted: () => false };
    return judge(delivered(MISMATCH, { binding }), evidence({ lastAcceptedAtMs, health }))?.kind;
  }

  it('is kept, and the refusal counted', () => {
    expect(judge(delivered(MISMATCH), evidence())).toEqual({ kind: 'refused', binding: BINDING });
  });

  it('is dead with the third refusal after a day in which others were accepted', () => {
    expect(verdict({ count: 2, firstAtMs }, firstAtMs + 1)).toBe('drop');
    expect(verdict({ count: 20, firstAtMs: 0 }, NOW_MS)).toBe('drop');
  });

  it('is kept at the second', () => {
    expect(verdict({ count: 1, firstAtMs }, NOW_MS)).toBe('refused');
    expect(verdict(undefined, NOW_MS)).toBe('refused');
  });

  it('is kept when a millisecond lacks of the day', () => {
    expect(verdict({ count: 2, firstAtMs: firstAtMs + 1 }, NOW_MS)).toBe('refused');
    expect(verdict({ count: 99, firstAtMs: firstAtMs + 1 }, NOW_MS)).toBe('refused');
  });

  it('is kept when no other was accepted since', () => {
    expect(verdict({ count: 2, firstAtMs }, undefined)).toBe('refused');
    expect(verdict({ count: 2, firstAtMs }, firstAtMs - 1)).toBe('refused');
    expect(verdict({ count: 2, firstAtMs }, firstAtMs)).toBe('refused');
  });

  it('is judged by the environment that was asked, whatever the other is suspected of', () => {
    const health = {
      isSuspected: (environment: string) => environment === 'production',
      isTrusted: () => false,
    };
    expect(judge(delivered(MISMATCH), evidence({ health }))?.kind).toBe('refused');
  });

  it('is kept, and nothing counted, while the environment refuses everything', () => {
    expect(verdict(undefined, undefined, true)).toBeUndefined();
    expect(verdict({ count: 2, firstAtMs }, NOW_MS, true)).toBeUndefined();
  });
});
