const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** A number of bytes for people, in powers of 1000: `999 B`, `1.5 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999.95 would be printed as 1000.0.
  while (value >= (unit === 0 ? 1000 : 999.95) && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}
