/** The name among `known` that `name` is most likely a typo of; `undefined` when none is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  // A third of the letters wrong is a typo; more is another word. Anything long is nobody's typo.
  const tolerance = Math.max(2, Math.floor(name.length / 3));
  let nearest: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > tolerance) continue;
    const distance = editDistance(name, candidate);
    if (distance <= tolerance && distance < (nearest?.distance ?? Infinity))
      nearest = { candidate, distance };
  }
  return nearest?.candidate;
}

/** Levenshtein distance: the fewest insertions, deletions and replacements that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_unused, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
