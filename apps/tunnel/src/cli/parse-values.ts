import { isLoopbackHost, parseAuthority } from './loopback.ts';
import type { ParseText } from './settings.ts';

/** Any text that is not blank. */
export const parseText: ParseText<string> = (text) =>
  text.trim() === '' ? { expected: 'some text' } : { value: text };

/** A name that is a folder too, on file systems that tell upper from lower case and on those that do not. */
export const parseName: ParseText<string> = (text) =>
  /^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)
    ? { value: text }
    : { expected: '1 to 64 of a-z, 0-9, ".", "_" and "-", a letter or digit first' };

/** Most characters of a label. */
const MAX_LABEL_CHARS = 64;

/** What people call a pairing: one printable line. */
export const parseLabel: ParseText<string> = (text) => {
  const label = text.trim();
  const isPrintable = !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(label);
  return label !== '' && Array.from(label).length <= MAX_LABEL_CHARS && isPrintable
    ? { value: label }
    : { expected: `1 to ${MAX_LABEL_CHARS} printable characters` };
};

/** A path that may be reached: a prefix by whole segments. */
export const parseAllowPath: ParseText<string> = (text) =>
  /^\/[^?#\s]*$/.test(text) ? { value: text } : { expected: 'a path that begins with / and has no ? or #' };

/** A request's path with its query. */
export const parseTarget: ParseText<string> = (text) =>
  // RFC 9112 section 3.2.1: visible ASCII; anything else must be percent-encoded, and a fragment is not sent.
  /^\/[\x21-\x22\x24-\x7e]*$/.test(text)
    ? { value: text }
    : { expected: 'a path that begins with /, percent-encoded, without #' };

/** A method (RFC 9110 section 9.1), in upper case: nobody means `get` by `get`. */
export const parseMethod: ParseText<string> = (text) =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/.test(text) && text.toUpperCase() !== 'CONNECT'
    ? { value: text.toUpperCase() }
    : { expected: 'a method such as GET, POST or DELETE' };

/** A header line. Its value may be a password. */
export const parseHeaderLine: ParseText<readonly [name: string, value: string]> = (text) => {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0)).toLowerCase();
  const value = text.slice(colon + 1).trim();
  // RFC 9110 sections 5.1 and 5.5.
  const isHeader = /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
  return isHeader ? { value: [name, value] } : { expected: "'name: value'", isSecret: true };
};

/** Where pairing links lead: any URL without a fragment. */
export const parsePageUrl: ParseText<string> = (text) => {
  const expected = 'a URL without #, such as https://example.org/app or openchamber://pair';
  return URL.canParse(text) && !text.includes('#') ? { value: text } : { expected };
};

const ORIGIN_EXPECTED =
  'a port (3000) or an http:// or https:// URL on a loopback address without path, such as http://127.0.0.1:3000';

/** A web program on this machine; gives its origin. */
export const parseOrigin: ParseText<string> = (text) => {
  // A URL with a user in it has a password too.
  const refusal = { expected: ORIGIN_EXPECTED, isSecret: text.includes('@') };
  const port = parsePort(text);
  if (port !== undefined && port > 0) return { value: `http://127.0.0.1:${port}` };
  const spelled = /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(spelled)) return refusal;
  const url = new URL(spelled);
  const isPlain = url.pathname === '/' && url.search === '' && url.hash === '' && !text.includes('@');
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
  return isPlain && isHttp && isLoopbackHost(url.hostname) ? { value: url.origin } : refusal;
};

/** Where to listen. */
export interface ListenAddress {
  /** An address or `localhost`; IPv6 without brackets. */
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
}

/** A port, or an address with one. */
export const parseListenAddress: ParseText<ListenAddress> = (text) => {
  const expected = 'a port (8080), or an address and a port (127.0.0.1:8080, [::1]:8080)';
  const bare = parsePort(text);
  if (bare !== undefined) return { value: { host: '127.0.0.1', port: bare } };
  const authority = parseAuthority(text);
  return authority?.port === undefined
    ? { expected }
    : { value: { host: authority.host, port: authority.port } };
};

/** Plain decimal digits from 0 to 65535. */
function parsePort(text: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,4})$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}
