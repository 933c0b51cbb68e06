import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { KeyCache } from '../../src/signature/key-cache.ts';

function makeKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
}

const [a, b, c] = [makeKey(), makeKey(), makeKey()] as const;

describe('KeyCache', () => {
  it('gives back what was kept, and nothing for a stranger', () => {
    const cache = new KeyCache(2);
    cache.keep('a', a);
    expect([cache.get('a'), cache.get('b'), cache.size]).toEqual([a, undefined, 1]);
  });

  it('holds as many as it may and not one more: the least recently kept goes', () => {
    const cache = new KeyCache(2);
    cache.keep('a', a);
    cache.keep('b', b);
    expect([cache.get('a'), cache.get('b'), cache.size]).toEqual([a, b, 2]);
    cache.keep('a', a);
    cache.keep('c', c);
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([a, undefined, c, 2]);
  });

  it('does not take a question for use', () => {
    const cache = new KeyCache(2);
    cache.keep('a', a);
    cache.keep('b', b);
    cache.get('a');
    cache.keep('c', c);
    expect(cache.get('a')).toBeUndefined();
  });

  it('knows the newest key of an id', () => {
    const cache = new KeyCache(1);
    cache.keep('a', a);
    cache.keep('a', b);
    expect([cache.get('a'), cache.size]).toEqual([b, 1]);
  });
});
