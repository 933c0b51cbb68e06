import { isDeepStrictEqual } from 'node:util';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  formatHttpRequest,
  formatHttpResponse,
  formatStreamAbort,
  formatWsClose,
  formatWsOpen,
  formatWsOpened,
  parseHttpRequest,
  parseHttpResponse,
  parseStreamAbort,
  parseWsClose,
  parseWsOpen,
  parseWsOpened,
  type TunnelHeaders,
} from '../src/index.ts';
import { payloadSeeds } from './seeds.ts';
import type { FuzzTarget } from './targets.ts';

interface Codec<Value> {
  readonly parse: (payload: Uint8Array) => Value | undefined;
  readonly format: (value: Value) => Uint8Array | undefined;
  /** What Node or a browser would have against it. */
  readonly judge: (value: Value) => string | undefined;
}

/** What is parsed must be usable, and the same when it is written and read again. */
function targetOf<Value>(name: string, { parse, format, judge }: Codec<Value>): FuzzTarget {
  return {
    name,
    seeds: payloadSeeds(name),
    check(bytes: Uint8Array): string | undefined {
      const value = parse(bytes);
      if (value === undefined) return undefined;
      const written = format(value);
      if (written === undefined) return 'cannot be written again';
      return isDeepStrictEqual(parse(written), value) ? judge(value) : 'written otherwise than read';
    },
  };
}

/** Node's own word for headers, which throws. */
function judgeHeaders(headers: TunnelHeaders | undefined): string | undefined {
  for (const [name, values] of Object.entries(headers ?? {})) {
    if (name !== name.toLowerCase()) return 'a name in upper case';
    validateHeaderName(name);
    for (const value of [values].flat()) validateHeaderValue(name, value);
    if (typeof values !== 'string' && (name !== 'set-cookie' || values.length < 2)) return 'a list';
  }
  return undefined;
}

function judgeTarget({ path, query }: { readonly path: string; readonly query: string }): string | undefined {
  const url = new URL(`http://origin${path}?${query}`);
  if (url.host !== 'origin' || url.hash !== '') return 'leads elsewhere';
  // What Node takes for the target of a request.
  return /[^\u0021-\u00ff]/.test(`${path}?${query}`) ? 'does not fit a request line' : undefined;
}

/** Parsers of JSON payloads. */
export const PAYLOAD_TARGETS: readonly FuzzTarget[] = [
  targetOf('HttpRequest', {
    parse: parseHttpRequest,
    format: formatHttpRequest,
    judge: (head) => judgeTarget(head) ?? judgeHeaders(head.headers),
  }),
  targetOf('HttpResponse', {
    parse: parseHttpResponse,
    format: formatHttpResponse,
    judge: ({ status, headers }) =>
      status >= 200 && status < 600 ? judgeHeaders(headers) : 'a status out of range',
  }),
  targetOf('StreamAbort', {
    parse: parseStreamAbort,
    format: formatStreamAbort,
    judge: ({ reason }) => (reason.length <= 256 ? undefined : 'a long reason'),
  }),
  targetOf('WsOpen', {
    parse: parseWsOpen,
    format: formatWsOpen,
    judge: (head) => judgeTarget(head) ?? judgeHeaders(head.headers),
  }),
  targetOf('WsOpened', { parse: parseWsOpened, format: formatWsOpened, judge: () => undefined }),
  targetOf('WsClose', {
    parse: parseWsClose,
    format: formatWsClose,
    judge: ({ code, reason }) =>
      code >= 1000 && code < 5000 && Buffer.byteLength(reason) <= 123 ? undefined : 'no close frame holds it',
  }),
];
