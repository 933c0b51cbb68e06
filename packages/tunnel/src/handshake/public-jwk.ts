import { decodeBase64url, type PublicJwk } from '@openchambery/protocol';
import { isJsonObject } from '../frame/json.ts';
import { isOnP256 } from './p256-point.ts';

/** Bytes in one coordinate. */
export const COORDINATE_BYTES = 32;

/**
 * Reads the public half of an ECDH key: a JSON Web Key whose x and y are canonical and a point of P-256. Unknown members
 * are left out. `undefined` for anything else. Never throws.
 */
export function parseHostEncPubJwk(value: unknown): PublicJwk | undefined {
  if (!isJsonObject(value) || value['kty'] !== 'EC' || value['crv'] !== 'P-256') return undefined;
  const { x, y } = value;
  if (typeof x !== 'string' || typeof y !== 'string') return undefined;
  const xBytes = decodeBase64url(x, COORDINATE_BYTES);
  const yBytes = decodeBase64url(y, COORDINATE_BYTES);
  if (xBytes === undefined || yBytes === undefined || !isOnP256(xBytes, yBytes)) return undefined;
  return { crv: 'P-256', kty: 'EC', x, y };
}
