/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Written in capitals whichever way they are given (Fetch, section 2.2.1); others are left as they are. */
const NORMALISED = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']);

const FORBIDDEN = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** Whether `text` is a token: a method, a header name, a subprotocol. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The method as `fetch` sends it. Throws a TypeError for what is none, and for those that `fetch` never sends. */
export function normaliseMethod(method: string): string {
  if (!isToken(method)) throw new TypeError(`${JSON.stringify(method)} is not an HTTP method`);
  const capitals = method.toUpperCase();
  if (FORBIDDEN.has(capitals)) throw new TypeError(`the method ${capitals} cannot be sent`);
  return NORMALISED.has(capitals) ? capitals : method;
}

/**
 * Whether a request may be sent again without knowing what became of the first one (RFC 9110 section 9.2.2): methods in
 * capitals only, for that is how they are defined.
 */
export function isIdempotent(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'].includes(method);
}
