import type { PublicJwk } from '@openchambery/protocol';

/** What a Client has to know before it connects, learned by a way that the relay has no part in. */
export interface PairingFacts {
  /** `ws:` or `wss:`, without user, query and fragment. */
  readonly relayUrl: string;
  readonly serverId: string;
  /** The trust anchor: whoever can agree on a secret with this key is the Host. */
  readonly hostEncPubJwk: PublicJwk;
  /** Canonical base64url of 16 bytes; `undefined` where the origin asks for a login of its own. */
  readonly secret?: string | undefined;
}

/**
 * The header that carries a pairing's secret on every HttpRequest and WsOpen, inside the encrypted channel. The Host
 * takes it off before anything else: the origin never sees it.
 */
export const PAIRING_SECRET_HEADER = 'x-openchamber-pairing-secret';
