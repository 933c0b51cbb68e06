/**
 * A string of its own with the same ASCII text. V8 keeps a part of a string as a slice of the whole, so that an id
 * kept for long would keep the whole request target in memory, signature and all.
 */
export function ownText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
