/** PEM (RFC 7468), or its base64 alone: a key in PKCS #8 (RFC 5958) is a DER sequence of 128 bytes or more. */
const KEY_PATTERN = /-----BEGIN|PRIVATE KEY|^\s*MI[GHIJ][A-Za-z0-9+/=\s\\]{60}/;

/** Whether a text holds a key, by mistake: pasted where its name or the path of its file belongs. */
export function carriesKey(text: string): boolean {
  return KEY_PATTERN.test(text);
}

/** Whether a URL may hold a password (RFC 3986 section 3.2.1). */
export function mayHoldPassword(url: string): boolean {
  return url.includes('@');
}
