const maxWordLength = 64;

/**
 * The candidate that a mistyped word probably means, or `undefined` if none is close.
 *
 * Case, hyphens and underscores don't count as differences, so `max_iterations` finds `maxIterations`.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = fold(word);
  if (typed === '' || word.length > maxWordLength) return undefined;
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const known = fold(candidate);
    const distance = editDistance(typed, known);
    if (!isClose(distance, Math.max(typed.length, known.length))) continue;
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  return best?.candidate;
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[-_]/g, '');
}

function isClose(distance: number, length: number): boolean {
  if (length <= 4) return distance <= 1 && distance < length;
  return distance <= (length <= 8 ? 2 : 3);
}

/** Insertions, deletions, substitutions and swaps of neighbours, each counting one. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const substituted = at(last, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const best = Math.min(substituted, at(last, column) + 1, at(current, column - 1) + 1);
      const swapped = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(swapped ? Math.min(best, at(beforeLast, column - 2) + 1) : best);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
