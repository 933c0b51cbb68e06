import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { isLoopbackHost, parseAuthority } from '../cli/loopback.ts';
import type { Failure } from './describe-failure.ts';

/** Looks at a request before it goes anywhere; a failure says why it may not. */
export interface RequestGuard {
  checkRequest(request: IncomingMessage): Failure | undefined;
  checkUpgrade(request: IncomingMessage): Failure | undefined;
}

/** Names of this machine that nobody else can have an address for. */
const OWN_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

const MISDIRECTED: Failure = {
  // RFC 9110 section 15.5.20.
  status: 421,
  error: 'wrong_host',
  message:
    'This port is the tunnel of another machine; call it by the address that openchamber-tunnel listens on.',
};

const FOREIGN_SOCKET: Failure = {
  status: 403,
  error: 'foreign_origin',
  message: 'A WebSocket through this tunnel can only be opened by its own pages.',
};

const FOREIGN_REQUEST: Failure = {
  status: 403,
  error: 'foreign_origin',
  message: 'Web pages of others may link to this tunnel, but not send requests through it.',
};

/** RFC 9110 section 9.2.1: these ask for nothing to happen. A `TRACE` no page can send. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What browsers say of the page that asks (Fetch Metadata, section 2.3), but for `cross-site`. */
const NEAR_SITES: ReadonlySet<string> = new Set(['same-origin', 'same-site', 'none']);

/** Guards a port against web pages of others that a browser on this machine shows. @param listenHost as it was given */
export function createRequestGuard(listenHost: string): RequestGuard {
  const checkHost = (request: IncomingMessage): Failure | undefined => {
    const host = parseAuthority(request.headers.host ?? '')?.host;
    if (host === undefined) return MISDIRECTED;
    if (OWN_NAMES.has(host) || host === listenHost.toLowerCase()) return undefined;
    // Listening on all addresses, each of them is right. Rebinding needs a name: an address cannot be rebound.
    return isIP(host) !== 0 && host === plainAddress(request.socket.localAddress) ? undefined : MISDIRECTED;
  };
  return {
    checkRequest: (request) =>
      checkHost(request) ?? (isForeignRequest(request) ? FOREIGN_REQUEST : undefined),
    checkUpgrade: (request) => checkHost(request) ?? (isOwnPage(request) ? undefined : FOREIGN_SOCKET),
  };
}

/** Whether a page of this very port is asking, or no page at all (RFC 6455 section 10.2, RFC 6454 section 7). */
export function isOwnPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { origin, host = '' } = headers;
  // Programs that are no browsers say nothing, and may do what they like anyway.
  if (origin === undefined) return true;
  if (!URL.canParse(origin) || !URL.canParse(`http://${host}`)) return false;
  const page = new URL(origin);
  return page.protocol === 'http:' && page.host === new URL(`http://${host}`).host;
}

/**
 * Whether a page of somebody else is sending this, which the pairing would make a request of the user's own. To follow a
 * link is the user's wish; pages of this machine's other ports are for the origin to judge, which hears of them.
 */
function isForeignRequest(request: IncomingMessage): boolean {
  const { method = 'GET', headers } = request;
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  if (site === 'cross-site') return mode !== 'navigate' || (method !== 'GET' && method !== 'HEAD');
  if (typeof site === 'string' && NEAR_SITES.has(site)) return false;
  // Browsers that say nothing of it, or not to this address: then Origin tells, which goes with whatever may change something.
  return !SAFE_METHODS.has(method) && !isOwnPage(request) && !isNearPage(headers);
}

/** Whether the page is of the same host, or of this machine, on any port: what browsers call the same site. */
function isNearPage({ origin = '', host = '' }: IncomingMessage['headers']): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return (
    protocol === 'http:' && (isLoopbackHost(hostname) || hostname === URL.parse(`http://${host}`)?.hostname)
  );
}

/** IPv4 in an IPv6 socket (RFC 4291 section 2.5.5.2) without its clothes. */
function plainAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, '');
}
