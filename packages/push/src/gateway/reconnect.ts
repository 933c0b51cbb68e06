/**
 * First step and upper bound of the wait between connections that failed, in ms. The bound is less than a push lives, so
 * that each of them sees an attempt.
 */
const BASE_MS = 200;
const MAX_MS = 4000;

/**
 * How long to wait after `failureCount` failures in a row, in ms: "full jitter", anything from 0 to a bound that doubles,
 * so that many relays do not come back to a service all at once.
 *
 * @param random from 0 (included) to 1 (excluded).
 */
export function reconnectDelayMs(failureCount: number, random: () => number): number {
  return random() * Math.min(MAX_MS, BASE_MS * 2 ** Math.max(0, failureCount - 1));
}
