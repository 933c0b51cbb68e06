/** More of a value does not help to find it. */
const MAX_ECHO_CHARS = 120;

/** A value as it may stand in a message of one line: quoted, printable, of bounded length. Never for secrets. */
export function describeValue(text: string): string {
  const isCut = text.length > MAX_ECHO_CHARS;
  // Escaped beyond ASCII too: bidi controls and look-alikes would make the message lie about the value.
  const printable = JSON.stringify(isCut ? text.slice(0, MAX_ECHO_CHARS) : text).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return isCut ? `${printable}... (${text.length} characters)` : printable;
}

/** Text from elsewhere (a relay's reason, an error's message) as one printable line of at most `maxChars`. */
export function onOneLine(text: string, maxChars = 300): string {
  const printable = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return printable.length > maxChars ? `${printable.slice(0, maxChars)}...` : printable;
}

/** What an error says of itself, on one line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? onOneLine(error.message) : 'unknown error';
}

/** `ENOENT` and the like; `undefined` where there is no such code. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
