import { SignJWT } from 'jose';
import type { ServiceAccount } from './service-account.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
/** Google takes an hour at most. */
const LIFE_S = 3600;

/** The JWT (RFC 7523, RS256) that an access token is given for. `epochMs` is wall-clock time now. */
export function signAssertion(account: ServiceAccount, epochMs: number): Promise<string> {
  const { clientEmail, keyId, key, tokenUri } = account;
  const issuedAt = Math.floor(epochMs / 1000);
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) })
    .setIssuer(clientEmail)
    .setAudience(tokenUri)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFE_S)
    .sign(key);
}
