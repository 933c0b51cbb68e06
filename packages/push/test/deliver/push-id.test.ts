import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pushId } from '../../src/deliver/push-id.ts';
import { TOKEN } from '../support/bodies.ts';

const HASH = createHash('sha256').update('1700000000000.text').digest();

describe('the id of a push', () => {
  it('is a UUID of our own making in lower case', () => {
    expect(pushId(HASH, TOKEN)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('is the same for the same push', () => {
    expect(pushId(Buffer.from(HASH), TOKEN)).toBe(pushId(HASH, TOKEN));
    expect(pushId(HASH, TOKEN)).toBe('12147177-814c-844d-9902-6f85bb44475b');
  });

  it('is another for another token or another text', () => {
    const other = createHash('sha256').update('1700000000001.text').digest();
    expect(new Set([pushId(HASH, TOKEN), pushId(HASH, `${TOKEN}00`), pushId(other, TOKEN)]).size).toBe(3);
  });

  it('leaves the hash as it was', () => {
    const hash = Buffer.from(HASH);
    pushId(hash, TOKEN);
    expect(hash).toEqual(HASH);
  });
});
