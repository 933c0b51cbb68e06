import { createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Answer } from './reaction.ts';

/** A key the fake accepts provider tokens of. */
export interface ProviderKey {
  readonly teamId: string;
  readonly keyId: string;
  /** P-256, as an object or PEM. */
  readonly publicKey: KeyObject | string;
}

/** What a provider token says, and whether its key signed it; its age is another matter. */
export interface ProviderToken {
  readonly kid: string | undefined;
  readonly iss: string | undefined;
  /** UNIX s. */
  readonly iat: number | undefined;
  readonly valid: boolean;
}

const LONGEST_AGE_S = 3600;
const SHORTEST_CHANGE_MS = 20 * 60_000;
const REMEMBERED = 1000;
const BEARER = /^bearer +(\S+)$/i;

interface LastChange {
  readonly token: string;
  readonly atMs: number;
}

/** Verifies provider tokens (RFC 7519, ES256) the way Apple describes under "Establishing a token-based connection". */
export class ProviderTokenCheck {
  readonly #keys = new Map<string, KeyObject>();
  readonly #seen = new Map<string, ProviderToken>();
  readonly #lastChange = new Map<string, LastChange>();
  readonly #strictUpdates: boolean;

  constructor(keys: readonly ProviderKey[], strictUpdates: boolean) {
    for (const { teamId, keyId, publicKey } of keys) {
      const key = typeof publicKey === 'string' ? createPublicKey(publicKey) : publicKey;
      this.#keys.set(keyName(teamId, keyId), key);
    }
    this.#strictUpdates = strictUpdates;
  }

  /** The token of an `authorization` header; undefined when there is none. The same header is verified once. */
  read(authorization: string | undefined): ProviderToken | undefined {
    if (authorization === undefined) return undefined;
    const known = this.#seen.get(authorization);
    if (known !== undefined) return known;
    const token = this.#parse(authorization);
    if (token === undefined) return undefined;
    if (this.#seen.size >= REMEMBERED) this.#seen.clear();
    this.#seen.set(authorization, token);
    return token;
  }

  /** Why a request with this token is refused at `nowMs`, or undefined. */
  refuse(token: ProviderToken | undefined, authorization: string, nowMs: number): Answer | undefined {
    if (token === undefined) return { status: 403, reason: 'MissingProviderToken' };
    if (!token.valid || token.iat === undefined) return { status: 403, reason: 'InvalidProviderToken' };
    const ageS = nowMs / 1000 - token.iat;
    if (ageS > LONGEST_AGE_S || ageS < 0) {
      return { status: 403, reason: 'ExpiredProviderToken', timestampMs: nowMs };
    }
    return this.#strictUpdates ? this.#refuseChange(token, authorization, nowMs) : undefined;
  }

  #refuseChange(token: ProviderToken, authorization: string, nowMs: number): Answer | undefined {
    const name = keyName(token.iss, token.kid);
    const last = this.#lastChange.get(name);
    if (last?.token === authorization) return undefined;
    if (last !== undefined && nowMs - last.atMs < SHORTEST_CHANGE_MS) {
      return { status: 429, reason: 'TooManyProviderTokenUpdates' };
    }
    this.#lastChange.set(name, { token: authorization, atMs: nowMs });
    return undefined;
  }

  #parse(authorization: string): ProviderToken | undefined {
    const jwt = BEARER.exec(authorization)?.[1];
    if (jwt === undefined) return undefined;
    const [head = '', claims = '', signature = '', ...rest] = jwt.split('.');
    const { alg, kid } = parseObject(head);
    const { iss, iat } = parseObject(claims);
    const key = this.#keys.get(keyName(iss, kid));
    const valid =
      rest.length === 0 &&
      alg === 'ES256' &&
      key !== undefined &&
      Number.isSafeInteger(iat) &&
      isSigned(key, `${head}.${claims}`, signature);
    return { kid: textOr(kid), iss: textOr(iss), iat: typeof iat === 'number' ? iat : undefined, valid };
  }
}

function keyName(teamId: unknown, keyId: unknown): string {
  return JSON.stringify([teamId, keyId]);
}

function isSigned(key: KeyObject, text: string, signature: string): boolean {
  // JWS signatures are r and s side by side (RFC 7518 §3.4), not DER.
  const bytes = Buffer.from(signature, 'base64url');
  return (
    bytes.length === 64 && verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, bytes)
  );
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function parseObject(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // Not JSON is the same to Apple as a token without members: invalid.
    return {};
  }
}
