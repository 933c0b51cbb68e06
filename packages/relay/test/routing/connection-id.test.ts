import { randomBytes } from 'node:crypto';
import { isConnectionId } from '@openchambery/protocol';
import { describe, expect, it } from 'vitest';
import { createConnectionId } from '../../src/routing/connection-id.ts';

/** Gives ids of one repeated byte, from 0 up. */
function counting(): { draws: number[]; randomBytes: (size: number) => Buffer } {
  const draws: number[] = [];
  return {
    draws,
    randomBytes: (size) => {
      draws.push(size);
      return Buffer.alloc(size, draws.length - 1);
    },
  };
}

describe('createConnectionId', () => {
  it('makes ids of the form that layer 1 asks for', () => {
    const ids = Array.from({ length: 50 }, () =>
      createConnectionId({ randomBytes, attempts: 1, isTaken: () => false }),
    );
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect(isConnectionId(id ?? '')).toBe(true);
  });

  it('draws 16 bytes, once when the id is free', () => {
    const source = counting();
    createConnectionId({ ...source, attempts: 4, isTaken: () => false });
    expect(source.draws).toEqual([16]);
  });

  it.each([1, 2, 4])('tries %i times and not once more', (attempts) => {
    const source = counting();
    expect(createConnectionId({ ...source, attempts, isTaken: () => true })).toBeUndefined();
    expect(source.draws).toHaveLength(attempts);
  });

  it('takes the last attempt', () => {
    const source = counting();
    const isTaken = (): boolean => source.draws.length < 4;
    const id = createConnectionId({ ...source, attempts: 4, isTaken });
    expect(id).toBe(Buffer.alloc(16, 3).toString('base64url'));
  });
});
