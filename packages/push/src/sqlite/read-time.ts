import type { SQLOutputValue } from 'node:sqlite';

/** Numbers below are seconds: as ms it is March 1973, as seconds the year 5138. */
const LEAST_MS = 100_000_000_000;

/** What SQLite's own CURRENT_TIMESTAMP writes: UTC, which it does not say. */
const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

/**
 * Reads a time written by somebody who did not say how: ms or seconds since the epoch, as a number or in digits, or
 * ISO 8601. Gives whole ms since the epoch; 0, long ago, for what is none of these.
 */
export function readTime(value: SQLOutputValue | undefined): number {
  const text = String(value ?? '').trim();
  const number = text === '' ? Number.NaN : Number(text);
  if (Number.isFinite(number)) return inRange(number < LEAST_MS ? number * 1000 : number);
  return inRange(Date.parse(WITHOUT_ZONE.test(text) ? `${text.replace(' ', 'T')}Z` : text));
}

function inRange(ms: number): number {
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.round(ms)), Number.MAX_SAFE_INTEGER) : 0;
}
