import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

export type UpgradeRole = 'client' | 'host-control' | 'host-data';

/** A Host's signing key and the names that follow from it (Layer 1 §4). */
export interface HostIdentity {
  /** base64url(SHA-256(canonical JWK text)). */
  readonly serverId: string;
  /** base64url of the canonical JWK text. */
  readonly pk: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: { readonly crv: string; readonly kty: string; readonly x: string; readonly y: string };
}

/** A value replaces a field, a list gives it several times, undefined leaves it out. */
export type QueryOverrides = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface SignedQueryOptions {
  readonly identity: HostIdentity;
  readonly role: 'host-control' | 'host-data';
  /** Belongs to `host-data`. */
  readonly connectionId?: string | undefined;
  /** Ms since the epoch, or text to send as it is. @default now, different on every call */
  readonly ts?: number | string | undefined;
  /** Changes fields after signing. Names outside the contract are added. */
  readonly overrides?: QueryOverrides | undefined;
  /** Signs this instead of the contract's text. */
  readonly signedText?: string | undefined;
}

/** A fresh P-256 identity. Built from node:crypto alone, so that it can judge packages/protocol. */
export function makeIdentity(): HostIdentity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const text = `{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`;
  return {
    serverId: createHash('sha256').update(text).digest('base64url'),
    pk: Buffer.from(text).toString('base64url'),
    privateKey,
    publicJwk: { crv: 'P-256', kty: 'EC', x, y },
  };
}

/** base64url of the 64-byte r‖s signature over `text`. */
export function signText(identity: HostIdentity, text: string): string {
  const signature = sign('sha256', Buffer.from(text), {
    key: identity.privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return signature.toString('base64url');
}

let lastTs = 0;

/** The time in ms, never the same twice in this process: an equal `ts` would be a replay. */
export function uniqueTs(): number {
  lastTs = Math.max(lastTs + 1, Date.now());
  return lastTs;
}

/** The query (without `?`) of a Host's upgrade. */
export function signedQuery(options: SignedQueryOptions): string {
  const { identity, role, connectionId, overrides = {} } = options;
  const ts = String(options.ts ?? uniqueTs());
  const text = options.signedText ?? `${ts}.${identity.serverId}.${role}.${connectionId ?? ''}`;
  return formatQuery({
    v: '1',
    role,
    serverId: identity.serverId,
    connectionId,
    ts,
    sig: signText(identity, text),
    pk: identity.pk,
    ...overrides,
  });
}

/** The query (without `?`) of a Client's upgrade. */
export function clientQuery(serverId: string, overrides: QueryOverrides = {}): string {
  return formatQuery({ v: '1', role: 'client', serverId, ...overrides });
}

function formatQuery(fields: QueryOverrides): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => {
      if (value === undefined) return [];
      const values = typeof value === 'string' ? [value] : value;
      return values.map((one) => `${name}=${encodeURIComponent(one)}`);
    })
    .join('&');
}
