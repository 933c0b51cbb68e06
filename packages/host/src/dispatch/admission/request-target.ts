import { encodeText } from '../refusal.ts';

/** Whether a query can stand in a request line (RFC 9112 section 3.2): it ends at a space, the line at CR or LF. */
export function isQuery(query: string): boolean {
  return !/[\0-\x20\x7f#]/.test(query);
}

/**
 * Path and query as they go to the target: as the Client wrote them, with what is not ASCII percent-encoded, which is how
 * the URL standard would have it.
 */
export function formatTarget(path: string, query: string): string {
  const target = query === '' ? path : `${path}?${query}`;
  return target.replaceAll(/[^\0-\x7f]+/g, encodeText);
}
