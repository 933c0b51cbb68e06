import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalToken, signedTokens } from '../../src/request/device-token.ts';

it('sorts tokens by code unit: digits, upper case, lower case', () => {
  expect(signedTokens(['b0', 'a0', 'B0', '90', 'A0', '00'])).toBe('00,90,A0,B0,a0,b0');
  expect(signedTokens(['aa', 'a', 'aa'])).toBe('a,aa,aa');
});

it('leaves the list as it was', () => {
  const tokens = ['b0', 'a0'];
  signedTokens(tokens);
  expect(tokens).toEqual(['b0', 'a0']);
});

it('gives the same text for any order', () => {
  const list = fc.array(fc.constantFrom('00', '0A', '0a', 'ff', 'FF'), { minLength: 1 });
  fc.assert(
    fc.property(list, (tokens) => {
      expect(signedTokens(tokens.toReversed())).toBe(signedTokens(tokens));
    }),
  );
});

it('knows a token by its lower case', () => {
  expect(canonicalToken('0123ABCDEFabcdef'.repeat(4))).toBe('0123abcdefabcdef'.repeat(4));
  expect(canonicalToken('cAb:APA91b')).toBe('cAb:APA91b');
});
