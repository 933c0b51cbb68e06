import { randomBytes } from 'node:crypto';

/** A device token that nobody has seen before, in lower-case hexadecimal. @param bytes half its length, 32 by default */
export function makeDeviceToken(bytes = 32): string {
  return randomBytes(bytes).toString('hex');
}

/** A registration token of FCM that nobody has seen before. */
export function makeFcmToken(): string {
  return `${randomBytes(16).toString('base64url')}:APA91b${randomBytes(99).toString('base64url')}`;
}
