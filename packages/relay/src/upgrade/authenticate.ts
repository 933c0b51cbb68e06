import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { KeyCache, verifyP1363 } from '@openchambery/daemon';
import {
  decodeBase64url,
  type HostUpgrade,
  type PublicJwk,
  parsePublicKeyField,
  parseTimestamp,
  SIGNATURE_BYTES,
  signingText,
} from '@openchambery/protocol';
import type { Clock } from '@openchambery/wire';
import type { ReplayCache } from './replay-cache.ts';

/** What a {@link HostAuthenticator} needs. */
export interface HostAuthenticatorOptions {
  readonly clock: Clock;
  /** How far a Host's clock may be off, in ms, either way. */
  readonly timestampSkewMs: number;
  /** Where authenticated upgrades are remembered. */
  readonly replay: ReplayCache;
  /** Most imported keys kept; at least 1. */
  readonly maxCachedKeys: number;
}

/** An upgrade of a Host and where it came from. */
export interface AuthenticationRequest {
  readonly upgrade: HostUpgrade;
  /** Normalised IP. */
  readonly ip: string;
}

/** Whether a Host is who it says, and if not, a reason it can show to its user. */
export type AuthenticationResult = { readonly ok: true } | { readonly ok: false; readonly detail: string };

type KeyResult =
  | { readonly ok: true; readonly key: KeyObject }
  | { readonly ok: false; readonly detail: string };

/** Checks that an upgrade was signed by the Host it names, now, and for the first time. Synchronous throughout. */
export class HostAuthenticator {
  readonly #options: HostAuthenticatorOptions;
  readonly #keys: KeyCache;

  constructor(options: HostAuthenticatorOptions) {
    this.#options = options;
    this.#keys = new KeyCache(options.maxCachedKeys);
  }

  /** Imported keys held. */
  get cachedKeyCount(): number {
    return this.#keys.size;
  }

  /** Checks one upgrade. Nothing is kept of an upgrade whose signature does not verify. */
  authenticate({ upgrade, ip }: AuthenticationRequest): AuthenticationResult {
    const timestampFault = this.#findTimestampFault(upgrade.ts);
    if (timestampFault !== undefined) return refuse(timestampFault);

    const found = this.#findKey(upgrade);
    if (!found.ok) return found;

    const signature = decodeBase64url(upgrade.sig, SIGNATURE_BYTES);
    if (signature === undefined) return refuse('signature is not 64 bytes in canonical base64url');
    const text = signingText(upgrade);
    if (!verifyP1363(found.key, text, signature)) return refuse('signature does not verify');
    this.#keys.keep(cacheId(upgrade), found.key);

    if (this.#options.replay.remember({ key: text, ip }) === 'replay') return refuse('replayed upgrade');
    return { ok: true };
  }

  #findTimestampFault(ts: string): string | undefined {
    const sentAt = parseTimestamp(ts);
    if (sentAt === undefined) return 'timestamp is not decimal milliseconds since the epoch';
    const behindMs = this.#options.clock.epochMs() - sentAt;
    if (Math.abs(behindMs) <= this.#options.timestampSkewMs) return undefined;
    const seconds = Math.max(1, Math.round(Math.abs(behindMs) / 1000));
    return `timestamp ${seconds} s ${behindMs > 0 ? 'behind' : 'ahead of'} the relay`;
  }

  #findKey(upgrade: HostUpgrade): KeyResult {
    const key = this.#keys.get(cacheId(upgrade));
    return key === undefined ? importKey(upgrade.serverId, upgrade.pk) : { ok: true, key };
  }
}

/** A key is known for what it was read from, too: that saves the check that it is the key of this serverId. */
function cacheId({ serverId, pk }: HostUpgrade): string {
  return `${serverId} ${pk}`;
}

function importKey(serverId: string, pk: string): KeyResult {
  const publicKey = parsePublicKeyField(pk);
  if (publicKey === undefined) return refuse('public key is not a canonical P-256 key');
  if (createHash('sha256').update(publicKey.text).digest('base64url') !== serverId) {
    return refuse('serverId is not that of the public key');
  }
  const key = importPoint(publicKey.jwk);
  return key === undefined ? refuse('public key is not a point on P-256') : { ok: true, key };
}

function importPoint(jwk: PublicJwk): KeyObject | undefined {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch {
    // The form was checked before: what is left for Node to refuse is a point off the curve.
    return undefined;
  }
}

function refuse(reason: string): { readonly ok: false; readonly detail: string } {
  return { ok: false, detail: `auth: ${reason}` };
}
