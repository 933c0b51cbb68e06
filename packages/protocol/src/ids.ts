import { decodeBase64url } from './base64url.ts';

/** Bytes in a serverId: a SHA-256 digest. Its text has 43 characters. */
export const SERVER_ID_BYTES = 32;

/** Bytes in a connectionId, chosen at random by the relay. Its text has 22 characters. */
export const CONNECTION_ID_BYTES = 16;

/** Whether `text` is the canonical text of a serverId. */
export function isServerId(text: string): boolean {
  return decodeBase64url(text, SERVER_ID_BYTES) !== undefined;
}

/** Whether `text` is the canonical text of a connectionId. */
export function isConnectionId(text: string): boolean {
  return decodeBase64url(text, CONNECTION_ID_BYTES) !== undefined;
}
