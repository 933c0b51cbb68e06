/** A JSON object whose members nobody has looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The UTF-8 bytes of a text; lone surrogates become U+FFFD. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Reads a JSON object from text; `undefined` for anything else. Never throws. */
export function parseJsonObject(text: string): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON is one more way of not being an object.
    return undefined;
  }
  return isJsonObject(value) ? value : undefined;
}

/** Reads a JSON object from UTF-8; `undefined` for anything else. Never throws. */
export function decodeJsonObject(bytes: Uint8Array): JsonObject | undefined {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    // Bytes that are not UTF-8 are not JSON (RFC 8259 section 8.1).
    return undefined;
  }
  return parseJsonObject(text);
}

/** Whether a value from JSON is an object, and neither a list nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
