import type { IncomingMessage, ServerOptions } from 'node:http';
import type { ListenerLimits } from './listener-limits.ts';

/** Room for the other headers of a request beside its target, in bytes. */
const OTHER_HEADERS_BYTES = 16_384;
/** An idle keep-alive connection; proxies keep theirs 60 to 90 s, and must be the first to let go. In ms. */
export const KEEP_ALIVE_MS = 125_000;
/** A request has this long to arrive, its body included, unless the limits say so. In ms. */
const REQUEST_MS = 60_000;
/** Bounds of how often Node looks for slow requests, in ms. */
const MIN_CHECK_MS = 25;
const MAX_CHECK_MS = 1000;

/** What Node is told; `shouldUpgradeCallback` is known to Node >= 24.9. */
export type ListenerOptions = ServerOptions & {
  shouldUpgradeCallback?: (request: IncomingMessage) => boolean;
};

/** The options of the one HTTP server. Only what `shouldUpgrade` says is upgraded; other offers are plain requests. */
export function createServerOptions(
  { handshakeMs, maxUrlBytes, requestMs = REQUEST_MS }: ListenerLimits,
  shouldUpgrade: (request: IncomingMessage) => boolean,
): ListenerOptions {
  return {
    maxHeaderSize: maxUrlBytes + OTHER_HEADERS_BYTES,
    // Counts until a request head is complete, and again from the first byte of the next one.
    headersTimeout: handshakeMs,
    requestTimeout: Math.max(requestMs, handshakeMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(MAX_CHECK_MS, Math.max(MIN_CHECK_MS, handshakeMs / 10)),
    // Node's own answer would bypass the count of unanswered requests, and lack `no-store`.
    requireHostHeader: false,
    shouldUpgradeCallback: shouldUpgrade,
  };
}
