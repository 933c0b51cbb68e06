import { describe, expect, it } from 'vitest';
import { PUSH_LIMITS } from '../../src/options/limit-table.ts';
import { PUSH_LIMIT_NAMES, type PushLimits, resolvePushLimits } from '../../src/options/limits.ts';
import { PushOptionError } from '../../src/options/push-option-error.ts';

function faultOf(limits: Partial<PushLimits>): PushOptionError {
  try {
    resolvePushLimits(limits);
  } catch (error) {
    if (error instanceof PushOptionError) return error;
    throw error;
  }
  throw new Error(`accepted ${JSON.stringify(limits)}`);
}

describe('the limits', () => {
  it('are those of the contract, with its defaults', () => {
    expect(resolvePushLimits()).toEqual({
      timestampSkewMs: 300_000,
      replayMs: 600_000,
      maxReplayEntries: 10_000,
      registerLimitPerMinute: 60,
      sendLimitPerMinute: 60,
      serverSendLimitPerMinute: 120,
      maxTokens: 100_000,
      maxInFlight: 64,
    });
    expect(PUSH_LIMIT_NAMES).toEqual(Object.keys(PUSH_LIMITS));
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(resolvePushLimits())).toBe(true);
  });

  it('have no other names', () => {
    const error = faultOf({ maxToken: 5 } as Partial<PushLimits>);
    expect(error).toMatchObject({
      name: 'PushOptionError',
      code: 'ERR_PUSH_OPTION',
      option: 'limits',
      got: '"maxToken"',
    });
    expect(faultOf({ constructor: 5 } as unknown as Partial<PushLimits>).option).toBe('limits');
  });
});

describe.each(PUSH_LIMIT_NAMES)('%s', (name) => {
  const { min, max } = PUSH_LIMITS[name];
  // What else has to hold so that this one alone is looked at.
  const fitting = (value: number): Partial<PushLimits> => {
    if (name === 'timestampSkewMs') return { replayMs: 2_147_483_647, [name]: value };
    if (name === 'replayMs') return { timestampSkewMs: 1, [name]: value };
    return { [name]: value };
  };

  it('may be the least and the most', () => {
    const least = name === 'replayMs' ? 2 : min;
    const most = name === 'timestampSkewMs' ? Math.floor(max / 2) : max;
    expect(resolvePushLimits(fitting(least))[name]).toBe(least);
    expect(resolvePushLimits(fitting(most))[name]).toBe(most);
  });

  it('may not be less, more, or anything but an integer', () => {
    const bad: unknown[] = [min - 1, max + 1, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', true, [5]];
    for (const value of bad) {
      expect(faultOf(fitting(value as number))).toMatchObject({
        option: name,
        expected: `an integer from ${min} to ${max}`,
      });
    }
  });
});

describe('replayMs', () => {
  it('may be twice the skew', () => {
    expect(resolvePushLimits({ timestampSkewMs: 1000, replayMs: 2000 }).replayMs).toBe(2000);
  });

  it('may not be less', () => {
    expect(faultOf({ timestampSkewMs: 1000, replayMs: 1999 })).toMatchObject({
      option: 'replayMs',
      related: 'timestampSkewMs',
      expected: 'at least 2 x timestampSkewMs (2000)',
      got: '1999',
    });
    expect(faultOf({ timestampSkewMs: 300_001 }).option).toBe('replayMs');
  });
});
