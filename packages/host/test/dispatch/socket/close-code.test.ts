import { describe, expect, it } from 'vitest';
import { closeForClient, closeForOrigin } from '../../../src/dispatch/socket/close-code.ts';

const SENDABLE = [
  1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
];
const NOT_SENDABLE = [0, 999, 1004, 1015, 1016, 2999, 5000];

describe('the code of a close', () => {
  it.each(SENDABLE)('%i means the same on both sides', (code) => {
    expect(closeForClient(code, 'why')).toEqual({ code, reason: 'why' });
    expect(closeForOrigin({ code, reason: 'why' })).toEqual({ code, reason: 'why' });
  });

  it.each(NOT_SENDABLE)('%i is not sent on', (code) => {
    expect(closeForClient(code, '').code).toBe(1011);
    expect(closeForOrigin({ code, reason: 'why' })?.code).toBe(1011);
  });

  it('is 1000 where there was none, and no close frame where there was no close', () => {
    expect(closeForClient(1005, '')).toEqual({ code: 1000, reason: '' });
    expect(closeForOrigin({ code: 1005, reason: '' })).toEqual({ code: 1000, reason: '' });
    expect(closeForClient(1006, '')).toMatchObject({
      code: 1011,
      reason: expect.stringContaining('dropped'),
    });
    expect(closeForOrigin({ code: 1006, reason: '' })).toBeUndefined();
  });

  it('comes with a reason that fits a close frame, cut between characters', () => {
    const cut = (reason: string) => closeForOrigin({ code: 1000, reason })?.reason;
    expect(cut('x'.repeat(123))).toBe('x'.repeat(123));
    expect(cut('x'.repeat(124))).toBe('x'.repeat(123));
    expect(cut(`${'x'.repeat(122)}ü`)).toBe('x'.repeat(122));
    expect(cut(`${'x'.repeat(121)}\u{1F600}`)).toBe('x'.repeat(121));
  });
});
