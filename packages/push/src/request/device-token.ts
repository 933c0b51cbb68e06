import * as v from 'valibot';

/** Most tokens in one request. */
const MAX_TOKENS_PER_REQUEST = 100;

const APPLE_FORM = /^(?:[0-9A-Fa-f]{2}){32,256}$/;

/** An APNs device token: 64 to 512 hexadecimal digits, an even number of them, in either case. */
export const DEVICE_TOKEN = v.pipe(v.string(), v.regex(APPLE_FORM));

/** A registration token of FCM. */
export const FCM_TOKEN = v.pipe(v.string(), v.regex(/^[A-Za-z0-9:_-]{1,4096}$/));

function listOf<const Token extends v.GenericSchema<string>>(token: Token) {
  return v.pipe(v.array(token), v.minLength(1), v.maxLength(MAX_TOKENS_PER_REQUEST));
}

/** The APNs tokens of one request; the same one may be listed twice. */
export const DEVICE_TOKENS = listOf(DEVICE_TOKEN);

/** The tokens of one request, of either platform: every APNs token has the form of an FCM token as well. */
export const MIXED_TOKENS = listOf(FCM_TOKEN);

/** Whether a token can be one of Apple's. */
export function isAppleToken(token: string): boolean {
  return APPLE_FORM.test(token);
}

/** Tokens as a server signs them: as sent, sorted by code unit, duplicates included. */
export function signedTokens(tokens: readonly string[]): string {
  return tokens.toSorted().join(',');
}

/** The one form in which a token of Apple's is known here, where two spellings are one phone; others have one spelling. */
export function canonicalToken(token: string): string {
  return isAppleToken(token) ? token.toLowerCase() : token;
}
