import * as v from 'valibot';

/** Most tokens in one request. */
const MAX_TOKENS_PER_REQUEST = 100;

/** An APNs device token: 64 to 512 hexadecimal digits, an even number of them, in either case. */
export const DEVICE_TOKEN = v.pipe(v.string(), v.regex(/^(?:[0-9A-Fa-f]{2}){32,256}$/));

/** The tokens of one request; the same one may be listed twice. */
export const DEVICE_TOKENS = v.pipe(
  v.array(DEVICE_TOKEN),
  v.minLength(1),
  v.maxLength(MAX_TOKENS_PER_REQUEST),
);

/** Tokens as a server signs them: as sent, sorted by code unit, duplicates included. */
export function signedTokens(tokens: readonly string[]): string {
  return tokens.toSorted().join(',');
}

/** The one form in which a token is known here: two spellings are one phone. */
export function canonicalToken(token: string): string {
  return token.toLowerCase();
}
