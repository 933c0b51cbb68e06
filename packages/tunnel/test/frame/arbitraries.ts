import fc from 'fast-check';
import type { TunnelFrame } from '../../src/index.ts';

const TCHARS = "abcdefghijklmnopqrstuvwxyz0123456789-_!#$%&'*+.^`|~".split('');

/** Any frame that can be written, with a payload of moderate length. */
export const frame: fc.Arbitrary<TunnelFrame> = fc.record({
  type: fc.integer({ min: 0, max: 127 }),
  hasMore: fc.boolean(),
  streamId: fc.integer({ min: 0, max: 0xffff_ffff }),
  payload: fc.uint8Array({ maxLength: 300 }),
});

/** A token in lower case (RFC 9110 section 5.6.2). */
export const token: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom(...TCHARS),
  minLength: 1,
  maxLength: 20,
});

/** A text of the characters from `first` to `last` but for those in `without`. */
export function charactersBetween(first: number, last: number, without: string): fc.Arbitrary<string> {
  const unit = fc
    .integer({ min: first, max: last })
    .map((code) => String.fromCharCode(code))
    .filter((character) => !without.includes(character));
  return fc.string({ unit, maxLength: 40 });
}

/** Headers in the form that they are read in: no two names alike, a list only where it must not be joined. */
export const headers: fc.Arbitrary<Readonly<Record<string, string | string[]>>> = fc
  .record({
    single: fc.array(fc.tuple(token, charactersBetween(0x20, 0xff, '\u007f')), { maxLength: 8 }),
    cookies: fc.array(charactersBetween(0x20, 0x7e, ''), { minLength: 2, maxLength: 4 }),
    hasCookies: fc.boolean(),
  })
  .map(({ single, cookies, hasCookies }) =>
    Object.fromEntries<string | string[]>(hasCookies ? [...single, ['set-cookie', cookies]] : single),
  );
