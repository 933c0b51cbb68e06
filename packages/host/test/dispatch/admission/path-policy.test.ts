import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPathPolicy } from '../../../src/dispatch/admission/path-policy.ts';

function policy(...prefixes: string[]): (path: string) => boolean {
  const result = createPathPolicy(prefixes);
  if (!result.isUsable) throw new Error(`${result.fault} is no prefix`);
  return result.isPathAllowed;
}

describe('a path policy', () => {
  it('lets prefixes in by whole segments', () => {
    const isAllowed = policy('/api', '/a b/ü');
    for (const path of [
      '/api',
      '/api/',
      '/api/x',
      '/api/x/y',
      '/api//x',
      '/%61pi/x',
      '/a%20b/%C3%BC/z',
      '/a%20b/ü',
    ]) {
      expect(isAllowed(path), path).toBe(true);
    }
    for (const path of [
      '/',
      '/apis',
      '/ap',
      '/API',
      '/x/api',
      '//api',
      '/api%2fx',
      '/api;x/y',
      '/api%5cx',
      '/a%20b',
    ]) {
      expect(isAllowed(path), path).toBe(false);
    }
  });

  it('takes a slash at the end of a prefix for nothing', () => {
    const isAllowed = policy('/api/');
    expect(['/api', '/api/', '/api/x', '/apix'].map(isAllowed)).toEqual([true, true, true, false]);
  });

  it('lets nothing in without prefixes, and everything that is a path with /', () => {
    expect(policy()('/')).toBe(false);
    const isAllowed = policy('/');
    for (const path of [
      '/',
      '//',
      '/a',
      '/%2f',
      '/.well-known/x',
      '/a..b/c.',
      '/%7Euser',
      '/100%',
      '/x%ZZ',
      '/ü',
      '/*',
    ]) {
      expect(isAllowed(path), path).toBe(true);
    }
  });

  it.each([
    ['no slash in front', ['', 'a', '*', 'http://x/', '%2f']],
    ['what ends a path', ['/a?b', '/a#b']],
    ['what ends a line', ['/a b', '/a\nb', '/a\rb', '/a\tb', '/a\0b', '/a\x7fb']],
    ['encoded controls', ['/a%00b', '/a%0ab', '/a%0D', '/%7f', '/%2500']],
    ['backslashes', ['/a\\b', '/\\..\\x']],
    ['dot segments', ['/.', '/..', '/a/../b', '/a/./b', '/a/..', '/...']],
    ['encoded dots', ['/%2e', '/%2E%2e/x', '/.%2e', '/a/%2e./b', '/%252e%252e/x', '/%25252e']],
    [
      'dots behind encoded slashes',
      ['/a%2f..%2fb', '/a%2F.', '/%2f%2e%2e', '/a%252f..', '/a%5c..%5cb', '/..%5c'],
    ],
    [
      'dots with company',
      ['/a/..;/b', '/a/..;x=1/b', '/a/..%3fb', '/a/..%23', '/a/..%20', '/a/%20../b', '/..%3b/'],
    ],
    ['overlong encodings', ['/%c0%ae%c0%ae/', '/%c0%af', '/%e0%80%ae', '/%f0%80%80%ae', '/%c1%9c']],
    ['escapes of other kinds', ['/%u002e%u002e/x', '/a%u2215b', '/%25u002e']],
    ['endless layers', [`/%${'25'.repeat(20)}41`, `/%${'25'.repeat(20)}2e`]],
  ])('refuses %s, whatever is allowed', (_what, paths) => {
    for (const path of paths) {
      expect(policy('/')(path), path).toBe(false);
      expect(policy('/a')(path), path).toBe(false);
    }
  });

  it.each([
    '',
    'api',
    '/api?x',
    '/api#x',
    '/a//b',
    '//',
    '/a/../b',
    '/.',
    '/a%2fb',
    '/a%252e',
    '/a\\b',
    '/a\nb',
  ])('is not made of %j', (prefix) => {
    expect(createPathPolicy(['/fine', prefix])).toEqual({ isUsable: false, fault: prefix });
  });
});

/** What targets do with a path before they look at its segments. */
const READINGS: Readonly<Record<string, (path: string) => string>> = {
  asIs: (path) => path,
  url: (path) => new URL(`http://localhost${path}`).pathname,
  base: (path) => new URL(path, 'http://localhost').pathname,
  decoded: (path) => decodeURIComponent(path),
  decodedTwice: (path) => decodeURIComponent(decodeURIComponent(path)),
  unescaped: (path) => unescape(path),
  // As decoders of UTF-8 were before they refused to: two bytes for what takes one.
  overlong: (path) =>
    unescape(path).replaceAll(/\xc0[\x80-\xbf]/g, (pair) => String.fromCharCode(pair.charCodeAt(1) & 0x3f)),
  urlDecoded: (path) => decodeURIComponent(new URL(`http://localhost${path}`).pathname),
  decodedUrl: (path) => new URL(`http://localhost${decodeURIComponent(path)}`).pathname,
  decodedTwiceUrl: (path) =>
    new URL(`http://localhost${decodeURIComponent(decodeURIComponent(path))}`).pathname,
  java: (path) => decodeURIComponent(path).replaceAll(/;[^/]*/g, ''),
  cString: (path) => decodeURIComponent(path).split('\0')[0] ?? '',
};

/** What they do to resolve what is left. */
const RESOLUTIONS: Readonly<Record<string, (path: string) => string>> = {
  none: (path) => path,
  posix: (path) => posix.normalize(path),
  win32: (path) => win32.normalize(path).replaceAll('\\', '/'),
  merged: (path) => path.replaceAll(/\/+/g, '/'),
};

/** Pieces that paths which mean harm are made of, among harmless ones. */
const pieces = fc.constantFrom(
  ...String.raw`/ / . .. ; ? # % a api secret ü : @ http:// ～ ． \ %u002e %ff %C3%BC %61pi`.split(' '),
  ...'%2e %2E %2f %2F %5c %5C %25 %00 %0a %20 %3b %3f %23 %252e %252f %255c %25252e'.split(' '),
  ...'%c0%ae %c0%af %e0%80%ae'.split(' '),
  ' ',
  '\t',
  '\n',
  '\0',
);

describe('nothing that a policy lets in', () => {
  const isAllowed = policy('/api');

  it('is outside of the prefix for any reader of paths', () => {
    const path = fc
      .array(pieces, { maxLength: 12 })
      .chain((rest) =>
        fc.constantFrom('/api', '/api/', '/%61pi/', '/', '').map((start) => start + rest.join('')),
      );
    let letIn = 0;
    fc.assert(
      fc.property(path, (path) => {
        if (!isAllowed(path)) return;
        letIn += 1;
        for (const [reading, read] of Object.entries(READINGS)) {
          for (const [resolution, resolve] of Object.entries(RESOLUTIONS)) {
            const resolved = attempt(() => resolve(read(path)));
            // A target that cannot read a path answers 400.
            if (resolved === undefined) continue;
            const plain = unescape(resolved);
            expect(/^\/api(?:\/|$)/.test(plain), `${path} by ${reading}, ${resolution}: ${resolved}`).toBe(
              true,
            );
          }
        }
      }),
      { numRuns: 20_000 },
    );
    // Else the pieces mean so much harm that nothing was learnt.
    expect(letIn).toBeGreaterThan(500);
  });

  it('is anything but what was asked for: harmless paths are let in', () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text) && !/^[. ;?#]/.test(text) && !/[/\\%]/.test(text));
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        const path = ['/api', ...segments.map(encodeURIComponent)].join('/');
        expect(isAllowed(path), path).toBe(true);
      }),
    );
  });
});

function attempt(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
