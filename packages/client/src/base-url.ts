/** Where URLs lead that are not within a page: the name can never be registered (RFC 6761 section 6.4). */
const NOWHERE = 'http://tunnel.invalid';

/**
 * Makes a base of what the program gave: a directory, without user, query and fragment. Throws a TypeError when it is not
 * `http:` or `https:`.
 * @param value @default the page's own origin in a browser
 */
export function resolveBaseUrl(value: string | URL | undefined): URL {
  const text = String(value ?? pageOrigin() ?? NOWHERE);
  const base = URL.canParse(text) ? new URL(text) : undefined;
  if (base === undefined || !isHttp(base)) {
    throw new TypeError(`baseUrl must be an absolute http: or https: URL, got ${JSON.stringify(text)}`);
  }
  base.username = '';
  base.password = '';
  base.search = '';
  base.hash = '';
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return base;
}

/** What a program means by `input`; `undefined` when it is no URL, or leads out of the base. */
export function resolveWithin(base: URL, input: string | URL, from: URL = base): URL | undefined {
  const text = String(input);
  if (!URL.canParse(text, from.href)) return undefined;
  const url = new URL(text, from);
  const isWithin = url.origin === base.origin && url.pathname.startsWith(base.pathname);
  return isWithin && url.username === '' && url.password === '' ? url : undefined;
}

/** The two forms that `wss:` and `https:` are of one thing. @param scheme of what is wanted. */
export function withScheme(url: URL, scheme: 'http' | 'ws'): URL {
  const copy = new URL(url);
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  copy.protocol = isSecure ? `${scheme}s:` : `${scheme}:`;
  return copy;
}

function pageOrigin(): string | undefined {
  const { location } = globalThis as { readonly location?: { readonly origin?: string } };
  // `null` for files and sandboxed frames.
  return location?.origin?.startsWith('http') === true ? location.origin : undefined;
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}
