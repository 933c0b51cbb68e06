import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { parseAuthority } from '../cli/loopback.ts';
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

const FOREIGN_PAGE: Failure = {
  status: 403,
  error: 'foreign_origin',
  message: 'A WebSocket through this tunnel can only be opened by its own pages.',
};

/** Guards a port against web pages of others that a browser on this machine shows. @param listenHost as it was given */
export function createRequestGuard(listenHost: string): RequestGuard {
  const checkRequest = (request: IncomingMessage): Failure | undefined => {
    const host = parseAuthority(request.headers.host ?? '')?.host;
    if (host === undefined) return MISDIRECTED;
    if (OWN_NAMES.has(host) || host === listenHost.toLowerCase()) return undefined;
    // Listening on all addresses, each of them is right. Rebinding needs a name: an address cannot be rebound.
    return isIP(host) !== 0 && host === plainAddress(request.socket.localAddress) ? undefined : MISDIRECTED;
  };
  return {
    checkRequest,
    checkUpgrade: (request) => checkRequest(request) ?? (isOwnPage(request) ? undefined : FOREIGN_PAGE),
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

/** IPv4 in an IPv6 socket (RFC 4291 section 2.5.5.2) without its clothes. */
function plainAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, '');
}
