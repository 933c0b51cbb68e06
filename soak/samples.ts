/** One look at the relay's memory. */
export interface Sample {
  /** Seconds since the soak began. */
  readonly atSeconds: number;
  readonly residentBytes: number;
}

/** Growth in bytes per second by least squares. */
export function slopeOf(samples: readonly Sample[]): number {
  const count = samples.length;
  const meanAt = samples.reduce((sum, { atSeconds }) => sum + atSeconds, 0) / count;
  const meanBytes = samples.reduce((sum, { residentBytes }) => sum + residentBytes, 0) / count;
  let covariance = 0;
  let variance = 0;
  for (const { atSeconds, residentBytes } of samples) {
    covariance += (atSeconds - meanAt) * (residentBytes - meanBytes);
    variance += (atSeconds - meanAt) ** 2;
  }
  return variance === 0 ? 0 : covariance / variance;
}
