/** The time since `startedAt` (of `performance.now()`), as text. */
export function seconds(startedAt) {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}
