import { isIPv4, isIPv6 } from 'node:net';

/** A host with or without a port, as a Host header or a flag has it. */
export interface Authority {
  /** Lower case; IPv6 without brackets. */
  readonly host: string;
  readonly port: number | undefined;
}

/** Takes `host`, `host:port` or `[v6]:port` apart; `undefined` for anything else. */
export function parseAuthority(text: string): Authority | undefined {
  const match = /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<name>[a-z0-9._-]+))(?::(?<port>0|[1-9][0-9]{0,4}))?$/i.exec(
    text,
  );
  const { v6, name, port } = match?.groups ?? {};
  if (v6 !== undefined && !isIPv6(v6)) return undefined;
  const host = (v6 ?? name)?.toLowerCase();
  const number = port === undefined ? undefined : Number(port);
  return host === undefined || (number !== undefined && number > 65_535) ? undefined : { host, port: number };
}

/** Whether a host, as URLs and flags spell it, cannot be anywhere but on this machine. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (bare === 'localhost' || bare === '::1') return true;
  return isIPv4(bare) && bare.startsWith('127.');
}

/** An address as it stands in a URL (RFC 3986 section 3.2.2). */
export function formatHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
