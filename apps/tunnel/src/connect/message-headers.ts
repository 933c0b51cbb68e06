import type { TunnelHeaders } from '@openchambery/tunnel';
import { PAIRING_SECRET_HEADER } from '@openchambery/tunnel';

/** RFC 9110 section 7.6.1: what is about this connection and no other. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What of a request is not for the origin: its `host` is ours, `expect` was met, and the secret is not anybody's. */
const NOT_FORWARDED: ReadonlySet<string> = new Set(['host', 'expect', PAIRING_SECRET_HEADER]);

/** A request's headers as the tunnel carries them. @param raw names and values in turn, as Node has them */
export function toTunnelHeaders(raw: readonly string[]): TunnelHeaders {
  const headers = new Map<string, string>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const value = raw[index + 1] ?? '';
    const known = headers.get(name);
    // RFC 6265 section 5.4: cookies are a list of their own kind; RFC 9110 section 5.3 for the others.
    headers.set(name, known === undefined ? value : `${known}${name === 'cookie' ? '; ' : ', '}${value}`);
  }
  const named = namedByConnection(headers.get('connection'));
  const isForwarded = (name: string): boolean =>
    !HOP_BY_HOP.has(name) && !named.has(name) && !NOT_FORWARDED.has(name);
  return Object.fromEntries([...headers].filter(([name]) => isForwarded(name)));
}

/**
 * A request's headers when a page of this very port has asked. Its `origin` is taken off: it names this port, which the
 * program at the other end has never heard of, so that a program that checks it would refuse its own pages.
 */
export function withoutOwnOrigin({ origin: _ours, ...others }: TunnelHeaders): TunnelHeaders {
  return others;
}

/** What a WebSocket's opening handshake says to us alone (RFC 6455 section 4.1); the page is checked here, too. */
export function toSocketHeaders(raw: readonly string[]): TunnelHeaders {
  const headers = Object.entries(toTunnelHeaders(raw));
  return Object.fromEntries(
    headers.filter(
      ([name]) => !name.startsWith('sec-websocket-') && name !== 'origin' && name !== 'content-length',
    ),
  );
}

/** Whether an answer has a body; one to HEAD, and a 304, has none (RFC 9110 section 6.4.1). */
export type AnswerKind = 'with-body' | 'bodyless';

/**
 * An answer's headers for the local connection. Its `content-length` is left out where there is a body: the end of that is
 * known from the tunnel, and a Host that says another length would put words of its own into the next answer.
 */
export function fromTunnelHeaders(
  headers: TunnelHeaders,
  kind: AnswerKind = 'with-body',
): Record<string, string | string[]> {
  const connection = headers['connection'];
  const named = namedByConnection(typeof connection === 'string' ? connection : connection?.join(','));
  const isPassedOn = ([name, value]: readonly [string, string | readonly string[]]): boolean => {
    if (HOP_BY_HOP.has(name) || named.has(name)) return false;
    return name !== 'content-length' || (kind === 'bodyless' && isLength(value));
  };
  const passedOn = Object.entries(headers).filter(isPassedOn);
  return Object.fromEntries(
    passedOn.map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}

function isLength(value: string | readonly string[]): boolean {
  return typeof value === 'string' && /^[0-9]{1,15}$/.test(value);
}

function namedByConnection(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
}
