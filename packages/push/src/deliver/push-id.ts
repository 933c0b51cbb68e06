import { createHash } from 'node:crypto';

/**
 * The id of one push to one token: a UUID of version 8 (RFC 9562 section 5.8) made of what was signed and the token,
 * so that the same push has the same id however often it is sent.
 */
export function pushId(textHash: Buffer, token: string): string {
  const bytes = createHash('sha256').update(textHash).update(token).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
