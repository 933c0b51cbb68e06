const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The value of each ASCII character, or -1. */
const VALUES: Int8Array = buildValues();

function buildValues(): Int8Array {
  const values = new Int8Array(128).fill(-1);
  for (let value = 0; value < ALPHABET.length; value++) values[ALPHABET.charCodeAt(value)] = value;
  return values;
}

/** Writes bytes as base64url without padding (RFC 4648 §5, §3.2). */
export function encodeBase64url(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    bitCount += 8;
    while (bitCount >= 6) {
      bitCount -= 6;
      text += ALPHABET.charAt((bits >> bitCount) & 63);
    }
  }
  if (bitCount > 0) text += ALPHABET.charAt((bits << (6 - bitCount)) & 63);
  return text;
}

/**
 * Reads base64url of exactly `byteLength` bytes; `undefined` for anything else. Only the canonical text counts: no
 * padding, no other characters, and unused bits zero (RFC 4648 §3.5). Two texts for the same bytes would let one Host
 * or one signature pass as two.
 */
export function decodeBase64url(text: string, byteLength: number): Uint8Array<ArrayBuffer> | undefined {
  if (text.length !== Math.ceil((byteLength * 4) / 3)) return undefined;
  const bytes = new Uint8Array(byteLength);
  let bits = 0;
  let bitCount = 0;
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const value = VALUES[text.charCodeAt(index)] ?? -1;
    if (value < 0) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[length++] = (bits >> bitCount) & 0xff;
  }
  const unusedBits = bits & ((1 << bitCount) - 1);
  return unusedBits === 0 ? bytes : undefined;
}

/** Reads canonical base64url of any length, by the rules of {@link decodeBase64url}. */
export function decodeBase64urlOfAnyLength(text: string): Uint8Array<ArrayBuffer> | undefined {
  // One character beyond a group of four carries 6 bits, less than a byte: the exact-length check refuses it.
  return decodeBase64url(text, Math.floor((text.length * 3) / 4));
}
