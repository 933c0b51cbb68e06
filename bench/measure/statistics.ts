/** What repeated rounds gave for one figure. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** The spread of a figure over its rounds; throws on an empty list. */
export function spreadOf(values: readonly number[]): Spread {
  return { min: percentile(values, 0), median: percentile(values, 0.5), max: percentile(values, 1) };
}

/** Percentile with linear interpolation, `fraction` from 0 to 1; throws on an empty list. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * fraction;
  const lower = sorted[Math.floor(position)];
  const upper = sorted[Math.ceil(position)];
  if (lower === undefined || upper === undefined) {
    throw new Error('no values to take a percentile of');
  }
  return lower + (upper - lower) * (position - Math.floor(position));
}
