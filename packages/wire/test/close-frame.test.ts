import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeCloseFrame, isCloseCodeOnWire, NO_STATUS, parseCloseBody } from '../src/index.ts';
import { closeBody } from './support/client-frames.ts';
import { decodeStream, mayBeSent } from './support/naive-decoder.ts';

const ALL_CODES = Array.from({ length: 5001 }, (_, code) => code);

describe('isCloseCodeOnWire', () => {
  it('allows what RFC 6455 and the registry define, and 3000 to 4999', () => {
    expect(ALL_CODES.filter(isCloseCodeOnWire)).toEqual(ALL_CODES.filter(mayBeSent));
    expect(isCloseCodeOnWire(65_535)).toBe(false);
  });
});

describe('parseCloseBody', () => {
  it('reads or refuses every code from 0 to 5000', () => {
    for (const code of ALL_CODES) {
      const parsed = parseCloseBody(closeBody(code, 'so long'));
      if (mayBeSent(code)) expect(parsed).toEqual({ ok: true, status: { code, reason: 'so long' } });
      else expect(parsed).toMatchObject({ ok: false, fault: { code: 1002 } });
    }
  });

  it('takes an empty body for "no status"', () => {
    expect(parseCloseBody(Buffer.alloc(0))).toEqual({ ok: true, status: { code: NO_STATUS, reason: '' } });
  });

  it('refuses half a code', () => {
    expect(parseCloseBody(Buffer.of(3))).toMatchObject({ ok: false, fault: { code: 1002 } });
  });

  it('takes a reason for what it is: UTF-8 with 1007 for anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 123 }), (reason) => {
        const parsed = parseCloseBody(closeBody(1000, reason));
        let text: string | undefined;
        try {
          text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(reason);
        } catch {
          text = undefined;
        }
        if (text === undefined) expect(parsed).toMatchObject({ ok: false, fault: { code: 1007 } });
        else expect(parsed).toEqual({ ok: true, status: { code: 1000, reason: text } });
      }),
    );
  });

  it.each([
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a value beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a character cut short', [0xe2, 0x82]],
    ['a lone continuation byte', [0x80]],
  ])('refuses %s in a reason', (_name, bytes) => {
    expect(parseCloseBody(closeBody(1000, Uint8Array.from(bytes)))).toMatchObject({ fault: { code: 1007 } });
  });
});

describe('encodeCloseFrame', () => {
  it('writes one frame that says what it was given', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3000, max: 4999 }),
        fc.string({ unit: 'binary', maxLength: 30 }),
        (code, reason) => {
          const { ending, restBytes } = decodeStream(encodeCloseFrame(code, reason), {
            masked: false,
            shortestLengths: true,
          });
          expect(ending).toEqual({ kind: 'closed', code, reason });
          expect(restBytes).toBe(0);
        },
      ),
    );
  });

  it('writes no body for "no status"', () => {
    expect(encodeCloseFrame(NO_STATUS, 'never sent')).toEqual(Buffer.of(0x88, 0));
  });

  it('fits any reason into a control frame, cut at a character', () => {
    const ending = (reason: string): unknown =>
      decodeStream(encodeCloseFrame(1000, reason), { masked: false }).ending;
    expect(ending('x'.repeat(123))).toEqual({ kind: 'closed', code: 1000, reason: 'x'.repeat(123) });
    expect(ending('x'.repeat(124))).toEqual({ kind: 'closed', code: 1000, reason: 'x'.repeat(123) });
    expect(ending('x'.repeat(122) + 'ö')).toEqual({ kind: 'closed', code: 1000, reason: 'x'.repeat(122) });
    expect(ending('😀'.repeat(40))).toEqual({ kind: 'closed', code: 1000, reason: '😀'.repeat(30) });
  });
});
