import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What a peer without an address counts as: its socket is already gone, or it came over a UNIX socket. */
export const UNKNOWN_IP = 'unknown';

/** Where a request says it comes from. */
export interface RequestOrigin {
  /** The TCP peer, as `socket.remoteAddress` gives it. */
  readonly peerAddress: string | undefined;
  /** The `X-Forwarded-For` header, as Node gives it: several such headers are joined with commas. */
  readonly forwardedFor: string | string[] | undefined;
  /** Whether a reverse proxy in front of the daemon may speak for the client. */
  readonly trustProxy: 'trust' | 'ignore';
}

/**
 * The text an address is counted under; `undefined` when it is none. IPv4 also when mapped into IPv6 (RFC 4291
 * §2.5.5.2), so that one machine is not two; IPv6 as its /64, because a single subscriber owns at least that much.
 */
export function normaliseIp(text: string): string | undefined {
  // Node decides what an address is: ipaddr.js also takes `127.1`, octal and hexadecimal octets.
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return undefined;
  const [withoutZone = ''] = text.split('%');
  const address = ipaddr.IPv6.parse(withoutZone);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  const network = new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toRFC5952String()}/64`;
}

/** The IP a request counts against, normalised. A forwarded address counts only when trusted, valid and alone. */
export function clientIp({ peerAddress, forwardedFor, trustProxy }: RequestOrigin): string {
  const forwarded = trustProxy === 'trust' ? soleAddress(forwardedFor) : undefined;
  return forwarded ?? normaliseIp(peerAddress ?? '') ?? UNKNOWN_IP;
}

function soleAddress(forwardedFor: string | string[] | undefined): string | undefined {
  // A list was extended on its way by someone else; anything but one address is not what the proxy was set up to send.
  const header = Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor;
  return header === undefined ? undefined : normaliseIp(header.trim());
}
