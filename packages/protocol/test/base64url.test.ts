import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64url, decodeBase64urlOfAnyLength, encodeBase64url } from '../src/index.ts';

const bytes = fc.uint8Array({ maxLength: 70 });

describe('encodeBase64url', () => {
  it('writes what Node writes', () => {
    fc.assert(
      fc.property(bytes, (input) => {
        expect(encodeBase64url(input)).toBe(Buffer.from(input).toString('base64url'));
      }),
    );
  });
});

describe('decodeBase64url', () => {
  it('reads back what was written', () => {
    fc.assert(
      fc.property(bytes, (input) => {
        const text = encodeBase64url(input);
        expect(decodeBase64url(text, input.length)).toEqual(input);
        expect(decodeBase64urlOfAnyLength(text)).toEqual(input);
      }),
    );
  });

  it('takes one text for the same bytes, whatever one character is changed to', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 32 }),
        fc.nat(),
        fc.string(),
        (input, at, character) => {
          const text = encodeBase64url(input);
          const index = at % text.length;
          const changed = text.slice(0, index) + character + text.slice(index + 1);
          const decoded = decodeBase64urlOfAnyLength(changed);
          expect([changed, undefined]).toContain(decoded && encodeBase64url(decoded));
        },
      ),
    );
  });

  it('takes no text that Node would not write', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('A', 'B', 'Q', 'g', 'w', 'z', '0', '9', '-', '_', '+', '/', '=', '\n'),
        }),
        (text) => {
          const isCanonical = Buffer.from(text, 'base64url').toString('base64url') === text;
          expect(decodeBase64urlOfAnyLength(text) !== undefined).toBe(isCanonical);
        },
      ),
    );
  });

  it('refuses another length', () => {
    const text = encodeBase64url(new Uint8Array(16));
    for (const byteLength of [0, 15, 17, -1, 1e12, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(decodeBase64url(text, byteLength)).toBeUndefined();
    }
  });

  it.each(['AA==', 'AAA=', 'AB', 'A', 'A A', 'AA\n', '+A', '/A', 'ÄA', 'A\u{1F600}', '\u0000A'])(
    'refuses %j',
    (text) => {
      expect(decodeBase64urlOfAnyLength(text)).toBeUndefined();
    },
  );

  it('takes empty text for no bytes', () => {
    expect(decodeBase64url('', 0)).toEqual(new Uint8Array(0));
  });

  it('never throws', () => {
    const property = fc.property(fc.string({ unit: 'binary' }), fc.double(), (text, byteLength) => {
      decodeBase64url(text, byteLength);
      decodeBase64urlOfAnyLength(text);
    });
    expect(() => fc.assert(property)).not.toThrow();
  });
});
