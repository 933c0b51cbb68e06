import { ENVELOPE_BYTES, MAX_BODY_BYTES } from './push-transport.ts';

/** Most tokens that a push relay takes in one request. */
const MAX_TOKENS_PER_REQUEST = 100;

/** Quotes and comma around a token, in bytes. */
const TOKEN_PUNCTUATION_BYTES = 3;

/** Cuts distinct tokens into requests that a push relay takes: by number, and by what is left of the body beside `members`. */
export function batchTokens(tokens: readonly string[], members: object): readonly (readonly string[])[] {
  const room = MAX_BODY_BYTES - ENVELOPE_BYTES - Buffer.byteLength(JSON.stringify(members));
  const batches: string[][] = [];
  let bytes = 0;
  for (const token of distinct(tokens)) {
    const cost = token.length + TOKEN_PUNCTUATION_BYTES;
    let batch = batches.at(-1);
    if (batch === undefined || batch.length === MAX_TOKENS_PER_REQUEST || bytes + cost > room) {
      batch = [];
      batches.push(batch);
      bytes = 0;
    }
    batch.push(token);
    bytes += cost;
  }
  return batches;
}

/** Two spellings are one phone to the relay; the first one counts. */
function distinct(tokens: readonly string[]): Iterable<string> {
  const spellings = new Map<string, string>();
  for (const token of tokens) {
    const key = token.toLowerCase();
    if (!spellings.has(key)) spellings.set(key, token);
  }
  return spellings.values();
}
