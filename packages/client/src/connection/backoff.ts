const FIRST_MS = 1000;
const LONGEST_MS = 30_000;

/**
 * How long to wait after the `failures`-th failure in a row, in ms: full jitter below a bound that doubles from 1 s to
 * 30 s, so that the Clients of a relay that comes back do not all come at once.
 * @param random 0 ≤ x < 1.
 */
export function backoffMs(failures: number, random: () => number): number {
  const bound = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  return Math.floor(random() * bound);
}
