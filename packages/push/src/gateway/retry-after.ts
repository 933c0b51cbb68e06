/** Nothing sensible asks for more than a day; a proxy's slip must not park a token for a year. */
const MAX_RETRY_AFTER_MS = 24 * 3600 * 1000;

/**
 * What `retry-after` asks to wait, in ms: seconds or an HTTP date (RFC 9110 section 10.2.3). Undefined when absent or
 * nonsense, 0 for a date gone by.
 *
 * @param epochMs wall-clock time now.
 */
export function parseRetryAfter(value: unknown, epochMs: number): number | undefined {
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MAX_RETRY_AFTER_MS);
  // Only the form that RFC 9110 lets senders use: Date.parse would take the oldest one for local time, and nearly
  // anything for a year.
  if (!/^[A-Z][a-z]{2}, .* GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  return Math.min(Math.max(0, at - epochMs), MAX_RETRY_AFTER_MS);
}
