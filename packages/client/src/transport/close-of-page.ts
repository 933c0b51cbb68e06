/** How long the relay has to answer a close frame before it counts as gone, in ms. */
export const CLOSE_DEADLINE_MS = 5000;

/** RFC 6455 section 7.4.1: without a close frame. */
export const ABNORMAL = 1006;

/** A close frame has 123 bytes for its reason (RFC 6455 section 5.5); a UTF-16 unit takes 3 at most. */
const MAX_REASON_UNITS = 41;

/** What a page may say when it closes: other codes than these are the browser's own (WebSockets, section 3.1). */
export function toPageClose(
  code: number,
  reason: string,
): { readonly code: number; readonly reason: string } {
  const isAllowed = code === 1000 || (code >= 3000 && code <= 4999);
  return { code: isAllowed ? code : 1000, reason: reason.slice(0, MAX_REASON_UNITS).toWellFormed() };
}

/** What a page learns of a connection that does not come about. */
export const UNKNOWN_FAILURE = 'the connection failed, and a browser does not tell why';
