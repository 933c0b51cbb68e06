import type { LookupFunction } from 'node:net';
import { describeValue, HostOptionError } from '../../host-option-error.ts';

/** The program on this machine that requests go to. */
export interface Origin {
  readonly isSecure: boolean;
  /** As in an `Origin` header: scheme, host, and port unless it is the scheme's own. */
  readonly href: string;
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
}

/** Reads the `origin` option. Throws a HostOptionError for what is not the root of a web server on this machine. */
export function checkOrigin(value: string | URL): Origin {
  const url = URL.parse(String(value));
  if (
    url === null ||
    (url.protocol !== 'http:' && url.protocol !== 'https:') ||
    !isLoopback(url.hostname) ||
    url.username !== '' ||
    url.password !== '' ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new HostOptionError({
      option: 'origin',
      expected:
        'an http: or https: URL on this machine (localhost, 127.0.0.1 or [::1]) without path, query and user',
      // A user may come with a password.
      got: String(value).includes('@') ? 'one with a user' : describeValue(String(value)),
    });
  }
  const isSecure = url.protocol === 'https:';
  return {
    isSecure,
    href: url.origin,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
  };
}

/** By the name as the URL standard writes it: lower case, IPv4 in four decimals, IPv6 shortened. */
function isLoopback(hostname: string): boolean {
  return isLocalName(hostname) || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** RFC 6761 section 6.3. */
function isLocalName(hostname: string): boolean {
  return /^(?:.+\.)?localhost\.?$/.test(hostname);
}

/**
 * Resolves what is called localhost to this machine, whatever a name server or the file of hosts says (RFC 6761
 * section 6.3, draft-ietf-dnsop-let-localhost-be-localhost). Programs listen on either address, so both are tried.
 */
export const lookupLoopback: LookupFunction = (_hostname, options, callback) => {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ].filter(({ family }) => options.family === undefined || options.family === 0 || options.family === family);
  if (options.all === true) {
    callback(null, addresses);
  } else {
    callback(null, addresses[0]?.address ?? '127.0.0.1', addresses[0]?.family ?? 4);
  }
};
