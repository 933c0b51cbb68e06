import { formatUpgradeQuery, isServerId, type PublicJwk } from '@openchambery/protocol';
import {
  type Clock,
  isPairingSecret,
  normaliseRelayUrl,
  parseHostEncPubJwk,
  systemClock,
} from '@openchambery/tunnel';
import { resolveBaseUrl } from './base-url.ts';
import type { RelayClientOptions } from './relay-client.ts';

const CONNECT_TIMEOUT_MS = 30_000;

/** The longest delay that timers of the platform keep, in ms. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Options that have been looked at. */
export interface ClientOptions {
  /** What is dialled, with the query of the upgrade. */
  readonly dialUrl: string;
  readonly hostEncPubJwk: PublicJwk;
  readonly secret: string | undefined;
  readonly base: URL;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Throws a TypeError or RangeError that names the option and what it must be, never what a secret is. */
export function resolveClientOptions(options: RelayClientOptions): ClientOptions {
  const { serverId, secret, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const relayUrl = normaliseRelayUrl(options.relayUrl);
  if (!isServerId(serverId)) throw new TypeError('serverId must be 32 bytes in canonical base64url');
  const hostEncPubJwk = parseHostEncPubJwk(options.hostEncPubJwk);
  if (hostEncPubJwk === undefined) {
    throw new TypeError('hostEncPubJwk must be a public P-256 key as a JSON Web Key');
  }
  if (secret !== undefined && !isPairingSecret(secret)) {
    throw new TypeError('secret must be 16 bytes in canonical base64url');
  }
  if (!(connectTimeoutMs > 0 && connectTimeoutMs <= LONGEST_TIMER_MS)) {
    throw new RangeError(`connectTimeoutMs must be above 0 and at most ${LONGEST_TIMER_MS} ms`);
  }
  return {
    dialUrl: `${relayUrl}?${formatUpgradeQuery({ role: 'client', serverId })}`,
    hostEncPubJwk,
    secret,
    base: resolveBaseUrl(options.baseUrl),
    connectTimeoutMs,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}
