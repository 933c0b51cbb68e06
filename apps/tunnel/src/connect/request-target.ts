/** A request's path and query, as the local program wrote them. */
export interface RequestTarget {
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
}

/** Takes a request target apart (RFC 9112 section 3.2); `undefined` for what only proxies and servers as a whole get. */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  // Absolute form, which a server has to take: scheme and authority do not matter to the tunnel.
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? '';
  const rest = target.slice(origin.length);
  const written = origin !== '' && !rest.startsWith('/') ? `/${rest}` : rest;
  if (!written.startsWith('/')) return undefined;
  const question = written.indexOf('?');
  return question === -1
    ? { path: written, query: '' }
    : { path: written.slice(0, question), query: written.slice(question + 1) };
}
