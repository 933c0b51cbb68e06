import { describe, expect, it } from 'vitest';
import { CLOSE_CODE, isTerminalForClient } from '../src/index.ts';

describe('CLOSE_CODE', () => {
  it('has a number of its own for each name', () => {
    const codes = Object.values(CLOSE_CODE);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('names only codes an endpoint may send', () => {
    // RFC 6455 §7.4: 1004 to 1006 and 1015 never go over the wire; 4000 to 4999 are for private use.
    for (const code of Object.values(CLOSE_CODE)) {
      expect(
        (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 4000 && code <= 4999),
      ).toBe(true);
    }
  });

  it('makes deployed Clients give up on duplicate, auth and limit alone', () => {
    const terminal = Object.values(CLOSE_CODE).filter(isTerminalForClient);
    expect(terminal.sort((a, b) => a - b)).toEqual([4002, 4010, 4029]);
    expect(isTerminalForClient(1006)).toBe(false);
  });
});
