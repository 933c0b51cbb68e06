import { PAIRING_SECRET_HEADER } from '@openchambery/tunnel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromTunnelHeaders, toTunnelHeaders, withSecret } from '../../src/http/headers.ts';
import { isIdempotent, isToken, normaliseMethod } from '../../src/http/method.ts';

const name = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/);
const value = fc.stringMatching(/^[\u0021-\u007e\u0080-\u00ff]{0,20}$/);

describe('headers', () => {
  it('come out as they went in', () => {
    // What `Headers` joins may end with a space, which it takes off when it is given the same again.
    const given = fc.uniqueArray(fc.tuple(name, value), { selector: ([spelling]) => spelling.toLowerCase() });
    fc.assert(
      fc.property(given, (entries) => {
        const headers = new Headers(entries);
        expect([...fromTunnelHeaders(toTunnelHeaders(headers))]).toEqual([...headers]);
      }),
    );
  });

  it('may have the name of something that every object has', () => {
    const headers = withSecret(
      toTunnelHeaders(
        new Headers([
          ['__proto__', 'a'],
          ['constructor', 'b'],
        ]),
      ),
      undefined,
    );
    expect(JSON.stringify(headers)).toBe('{"__proto__":"a","constructor":"b"}');
  });

  it('carry the secret of the pairing and no other', () => {
    const spelling = fc.mixedCase(fc.constant(PAIRING_SECRET_HEADER));
    fc.assert(
      fc.property(spelling, fc.option(value, { nil: undefined }), (forged, secret) => {
        const headers = withSecret({ [forged]: 'forged', 'X-Other': ['1', '2'] }, secret);
        expect(headers[PAIRING_SECRET_HEADER]).toBe(secret);
        expect(Object.keys(headers)).toHaveLength(secret === undefined ? 1 : 2);
        expect(headers['x-other']).toEqual(['1', '2']);
      }),
    );
  });
});

describe('methods', () => {
  it('are tokens', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 5 }), (text) => {
        const isAccepted = (() => {
          try {
            return Boolean(new Headers([[text, 'x']]));
          } catch {
            return false;
          }
        })();
        expect(isToken(text)).toBe(isAccepted);
      }),
    );
  });

  it('are normalised as Request normalises them', () => {
    const known = fc.constantFrom(
      'get',
      'HEAD',
      'Post',
      'pUT',
      'delete',
      'options',
      'patch',
      'PATCH',
      'trace',
      'Connect',
      'TRACK',
    );
    fc.assert(
      fc.property(fc.oneof(fc.mixedCase(known), name), (method) => {
        let expected: string | undefined;
        try {
          expected = new Request('http://x', { method }).method;
        } catch {
          expected = undefined;
        }
        // Node also takes `patch` for PATCH, which the standard leaves as it is.
        if (method.toUpperCase() === 'PATCH') expected = method;
        if (expected === undefined) expect(() => normaliseMethod(method)).toThrow(TypeError);
        else expect(normaliseMethod(method)).toBe(expected);
      }),
    );
  });

  it('are repeated only where the standard says they may be', () => {
    expect(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'].every(isIdempotent)).toBe(true);
    expect(['POST', 'PATCH', 'TRACE', 'CONNECT', 'get', ''].some(isIdempotent)).toBe(false);
  });
});
