/** A text that names no relay. Its message says what would. */
export class RelayUrlError extends TypeError {
  override readonly name = 'RelayUrlError';
  readonly code = 'ERR_RELAY_URL';

  constructor(problem: string) {
    super(`${problem}: a relay URL looks like wss://relay.example/ws`);
  }
}

/**
 * The one form of a relay's URL: `ws:` or `wss:`, no query, no fragment. Throws a {@link RelayUrlError} for another
 * scheme, and for a user or password, which have no place in it.
 */
export function normaliseRelayUrl(url: string | URL): string {
  const parsed = parseUrl(url);
  if (parsed.protocol !== 'ws:' && parsed.protocol !== 'wss:') {
    throw new RelayUrlError(`the scheme must be ws: or wss:, got ${parsed.protocol}`);
  }
  // Not repeated in the message: it is a secret.
  if (parsed.username !== '' || parsed.password !== '') {
    throw new RelayUrlError('a user or password is not allowed');
  }
  parsed.search = '';
  parsed.hash = '';
  return parsed.href;
}

function parseUrl(url: string | URL): URL {
  try {
    return new URL(url);
  } catch {
    // Without its cause, which repeats the URL, password and all.
    throw new RelayUrlError('not a URL');
  }
}
