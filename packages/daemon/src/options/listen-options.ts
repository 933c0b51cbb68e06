import { describeValue, type OptionError, type OptionFault } from './option-error.ts';

/** RFC 1035 section 3.1: a name has at most 255 octets; zone ids of IPv6 addresses fit in as well. */
const HOST_PATTERN = /^[A-Za-z0-9._:][A-Za-z0-9._:%-]{0,254}$/;

/** Makes the error of the library whose option it is. */
export type CreateOptionError = (fault: OptionFault) => OptionError;

/** Checks the option `host`. @throws {OptionError} unless it is a name or an address to listen on. */
export function resolveHost(host: string, createError: CreateOptionError): string {
  if (typeof host === 'string' && HOST_PATTERN.test(host)) return host;
  const expected = 'a host name or an IP address without brackets';
  throw createError({ option: 'host', expected, got: describeValue(host) });
}

/** Checks the option `port`; 0 means any free one. @throws {OptionError} unless it is a TCP port. */
export function resolvePort(port: number, createError: CreateOptionError): number {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw createError({ option: 'port', expected: 'an integer from 0 to 65535', got: describeValue(port) });
}

/** Checks the option `listenFd`. @throws {OptionError} unless it is a descriptor that can be a socket, or absent. */
export function resolveListenFd(
  listenFd: number | undefined,
  createError: CreateOptionError,
): number | undefined {
  if (listenFd === undefined) return undefined;
  // 0, 1 and 2 are the process's own streams.
  if (Number.isInteger(listenFd) && listenFd > 2 && listenFd <= 0x7fff_ffff) return listenFd;
  const expected = 'the file descriptor of a listening TCP socket, 3 or more';
  throw createError({ option: 'listenFd', expected, got: describeValue(listenFd) });
}

/** Checks the option `trustProxy`. @throws {OptionError} unless it is a boolean. */
export function resolveTrustProxy(trustProxy: boolean, createError: CreateOptionError): boolean {
  if (typeof trustProxy === 'boolean') return trustProxy;
  throw createError({ option: 'trustProxy', expected: 'true or false', got: describeValue(trustProxy) });
}
