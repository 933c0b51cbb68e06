const encoder = new TextEncoder();

/** The UTF-8 bytes of a text. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** How many bytes a text has in UTF-8. */
export function utf8ByteLength(text: string): number {
  return encoder.encode(text).length;
}
