import { describe, expect, it } from 'vitest';
import { nearestName } from '../../src/config/nearest-name.ts';

describe('nearestName', () => {
  it.each([
    ['--prot', '--port'],
    ['--pathh', '--path'],
    ['--publicurl', '--public-url'],
    ['-port', '--port'],
  ])('takes %s for %s', (typo, meant) => {
    expect(nearestName(typo, ['--host', '--port', '--path', '--public-url'])).toBe(meant);
  });

  it.each(['--certificate', '', 'x'.repeat(100_000)])('takes %.20s for nothing', (name) => {
    expect(nearestName(name, ['--host', '--port'])).toBeUndefined();
  });
});
