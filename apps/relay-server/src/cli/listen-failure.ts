/** Where a daemon is to listen, and how its operator can change that. */
export interface ListenTarget {
  readonly host: string;
  readonly port: number;
  /** The socket it got instead from systemd, if it did. */
  readonly listenFd?: number | undefined;
  /** What the program's variables start with. */
  readonly prefix: string;
}

/** What went wrong and what to change, by the error code of `listen` (errno names, getaddrinfo names). */
const REASONS: Readonly<Record<string, { readonly reason: string; readonly change: 'host' | 'port' }>> = {
  EADDRINUSE: { reason: 'the address is already in use; stop the other program or', change: 'port' },
  EACCES: { reason: 'permission denied (ports below 1024 often need privileges);', change: 'port' },
  EADDRNOTAVAIL: { reason: 'this machine does not have that address;', change: 'host' },
  EAFNOSUPPORT: { reason: 'this machine does not have that kind of address;', change: 'host' },
  EINVAL: { reason: 'the address cannot be listened on;', change: 'host' },
  ENOTFOUND: { reason: 'the host name is not known;', change: 'host' },
  EAI_AGAIN: { reason: 'the host name could not be looked up;', change: 'host' },
};

/** One line about why a daemon cannot listen. */
export function describeListenFailure(error: unknown, target: ListenTarget): string {
  const { host, port, listenFd, prefix } = target;
  const where = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (listenFd !== undefined) {
    const reason = code === '' ? messageOf(error) : code;
    return `Cannot listen on file descriptor ${listenFd} (LISTEN_FDS): expected a listening TCP socket, as ListenStream= makes (${reason})`;
  }
  const known = REASONS[code];
  const reason =
    known === undefined
      ? messageOf(error)
      : `${known.reason} change --${known.change} or ${prefix}${known.change.toUpperCase()}`;
  return `Cannot listen on ${where}: ${reason}${code === '' ? '' : ` (${code})`}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : 'unknown error';
}
