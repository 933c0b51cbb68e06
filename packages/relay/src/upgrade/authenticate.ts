import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
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
import { ownText } from '../own-text.ts';
import { derFromP1363 } from './ecdsa-signature.ts';
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

interface CachedKey {
  /** The field the key was read from. */
  readonly pk: string;
  readonly key: KeyObject;
}

type KeyResult =
  | { readonly ok: true; readonly key: KeyObject }
  | { readonly ok: false; readonly detail: string };

/** Checks that an upgrade was signed by the Host it names, now, and for the first time. Synchronous throughout. */
export class HostAuthenticator {
  readonly #options: HostAuthenticatorOptions;
  /** By serverId, the least recently used first. */
  readonly #keys = new Map<string, CachedKey>();

  constructor(options: HostAuthenticatorOptions) {
    this.#options = options;
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
    if (!verify('sha256', Buffer.from(text), found.key, derFromP1363(signature))) {
      return refuse('signature does not verify');
    }
    this.#keepKey(upgrade, found.key);

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

  #findKey({ serverId, pk }: HostUpgrade): KeyResult {
    const cached = this.#keys.get(serverId);
    return cached?.pk === pk ? { ok: true, key: cached.key } : importKey(serverId, pk);
  }

  #keepKey({ serverId, pk }: HostUpgrade, key: KeyObject): void {
    // Set anew, it becomes the most recently used.
    this.#keys.delete(serverId);
    this.#keys.set(ownText(serverId), { pk: ownText(pk), key });
    if (this.#keys.size <= this.#options.maxCachedKeys) return;
    const [leastRecentlyUsed] = this.#keys.keys();
    if (leastRecentlyUsed !== undefined) this.#keys.delete(leastRecentlyUsed);
  }
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
