/**
 * A text as one character for each byte of its UTF-8, the form in which paths are compared: what is percent-encoded need
 * not be UTF-8 at all.
 */
export function byteText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Takes one layer of percent-encoding (RFC 3986 section 2.1) off a byte text; what is no escape stays as it is. */
export function decodeOnce(bytes: string): string {
  return bytes.replaceAll(/%[0-9a-f]{2}/gi, (escape) =>
    String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
  );
}

/** Layers of encoding that an honest Client could come to need; far fewer. */
const MAX_LAYERS = 8;

/** Takes off every layer; `undefined` when there are more than `MAX_LAYERS`. */
export function decodeFully(bytes: string): string | undefined {
  let current = bytes;
  for (let layer = 0; layer <= MAX_LAYERS; layer += 1) {
    const next = decodeOnce(current);
    if (next === current) {
      return current;
    }
    current = next;
  }
  return undefined;
}
