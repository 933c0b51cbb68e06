import { randomBytes } from 'node:crypto';

/** A device token that nobody has seen before, in lower-case hexadecimal. @param bytes half its length, 32 by default */
export function makeDeviceToken(bytes = 32): string {
  return randomBytes(bytes).toString('hex');
}
