import { hash } from 'node:crypto';

/**
 * The id of one push to one token: a UUID of version 8 (RFC 9562 section 5.8) made of what was signed and the token,
 * so that the same push has the same id however often it is sent.
 */
export function pushId(textHash: Buffer, token: string): string {
  const digits = hash('sha256', `${textHash.toString('hex')} ${token}`);
  // Version in the upper half of the seventh byte, variant 10 in the upper two bits of the ninth.
  const variant = VARIANT_DIGITS.charAt(Number.parseInt(digits.charAt(16), 16) & 3);
  const [first, second, third] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(13, 16)];
  return `${first}-${second}-8${third}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

const VARIANT_DIGITS = '89ab';
