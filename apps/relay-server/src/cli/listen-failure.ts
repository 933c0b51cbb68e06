import type { Config } from '../config/resolve-config.ts';
import { variableOf } from '../config/settings.ts';

const CHANGE_PORT = `change --port or ${variableOf('port')}`;
const CHANGE_HOST = `change --host or ${variableOf('host')}`;

/** What went wrong and what to change, by the error code of `listen` (errno names, getaddrinfo names). */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: `the address is already in use; stop the other program or ${CHANGE_PORT}`,
  EACCES: `permission denied (ports below 1024 often need privileges); ${CHANGE_PORT}`,
  EADDRNOTAVAIL: `this machine does not have that address; ${CHANGE_HOST}`,
  EAFNOSUPPORT: `this machine does not have that kind of address; ${CHANGE_HOST}`,
  EINVAL: `the address cannot be listened on; ${CHANGE_HOST}`,
  ENOTFOUND: `the host name is not known; ${CHANGE_HOST}`,
  EAI_AGAIN: `the host name could not be looked up; ${CHANGE_HOST}`,
};

/** One line about why the relay cannot listen. */
export function describeListenFailure(error: unknown, { host, port }: Config): string {
  const where = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason =
    REASONS[code] ?? (error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : 'unknown error');
  return `Cannot listen on ${where}: ${reason}${code === '' ? '' : ` (${code})`}`;
}
