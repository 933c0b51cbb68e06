import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { resolveBaseUrl, resolveWithin } from '../src/base-url.ts';
import { resolveClientOptions } from '../src/client-options.ts';
import { secret, someOptions } from './support/scripted-client.ts';

afterEach(() => vi.unstubAllGlobals());

describe('options', () => {
  it('are resolved to what is dialled', () => {
    const relayUrl = 'wss://relay.test:444/path?query#fragment';
    const { dialUrl, base, connectTimeoutMs } = resolveClientOptions({ ...someOptions, relayUrl });
    expect(dialUrl).toBe(`wss://relay.test:444/path?v=1&role=client&serverId=${'A'.repeat(43)}`);
    expect(base.href).toBe('http://tunnel.invalid/');
    expect(connectTimeoutMs).toBe(30_000);
  });

  it.each([
    ['relayUrl', 'https://relay.test/'],
    ['relayUrl', 'wss://user@relay.test/'],
    ['relayUrl', 'relay.test'],
    ['serverId', 'A'.repeat(42)],
    ['serverId', `${'A'.repeat(42)}B`],
    ['hostEncPubJwk', { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) }],
    ['hostEncPubJwk', undefined],
    ['secret', 'short'],
    ['secret', ''],
    ['baseUrl', 'ftp://app.test/'],
    ['baseUrl', '/relative'],
    ['connectTimeoutMs', 0],
    ['connectTimeoutMs', Number.NaN],
    ['connectTimeoutMs', 2_147_483_648],
  ])('must be right: %s is not %j', (name, value) => {
    const options = { ...someOptions, [name]: value };
    const kind = name === 'connectTimeoutMs' ? RangeError : TypeError;
    expect(() => resolveClientOptions(options)).toThrow(kind);
  });

  it('are taken at their limits', () => {
    expect(() =>
      resolveClientOptions({ ...someOptions, secret, connectTimeoutMs: 2_147_483_647 }),
    ).not.toThrow();
    expect(() => resolveClientOptions({ ...someOptions, connectTimeoutMs: 1 })).not.toThrow();
  });

  it('never show a secret in an error', () => {
    const bad = 'not-sixteen-bytes-of-anything';
    expect(() => resolveClientOptions({ ...someOptions, secret: bad })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(bad) }),
    );
  });
});

describe('the base', () => {
  it('is the page’s own origin, unless that is none', () => {
    vi.stubGlobal('location', { origin: 'https://page.test' });
    expect(resolveBaseUrl(undefined).href).toBe('https://page.test/');
    vi.stubGlobal('location', { origin: 'null' });
    expect(resolveBaseUrl(undefined).href).toBe('http://tunnel.invalid/');
  });

  it('is a directory without user, query and fragment', () => {
    expect(resolveBaseUrl('https://u:p@app.test/a/b?c#d').href).toBe('https://app.test/a/b/');
  });

  it('is never left, whatever the URL', () => {
    const base = resolveBaseUrl('http://app.test/in/');
    const piece = fc.constantFrom(
      '/',
      '//',
      '..',
      '.',
      '%2e%2e',
      '\\',
      '@',
      ':',
      '?',
      '#',
      'in',
      'a',
      'app.test',
      'http:',
      ' ',
      '\t',
      'ü',
    );
    const text = fc.oneof(
      fc.webUrl(),
      fc.string({ unit: 'binary' }),
      fc.array(piece).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (input) => {
        const url = resolveWithin(base, input);
        if (url === undefined) return;
        expect(url.href.startsWith('http://app.test/in/')).toBe(true);
        // What can stand in a request line: see the payload of HttpRequest.
        expect(url.pathname).toMatch(/^\/[\u0021-\u007e]*$/);
        expect(url.search).toMatch(/^[\u0021-\u007e]*$/);
      }),
      { numRuns: 2000 },
    );
  });

  it('holds every path below it', () => {
    const base = resolveBaseUrl('http://app.test/in/');
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z0-9~!$&'()*+,;=:@]+$/)), (segments) => {
        const path = `/in/${segments.join('/')}`;
        expect(resolveWithin(base, path)?.pathname).toBe(path);
      }),
    );
  });
});
