/** The candidate a mistyped name most probably means, or null when none is near. Case, dashes and underscores weigh nothing. */
export function nearest(name: string, candidates: readonly string[]): string | null {
  const wanted = normalise(name);
  let best: { candidate: string; distance: number } | null = null;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, normalise(candidate));
    if (best === null || distance < best.distance) best = { candidate, distance };
  }
  // A third of the letters may differ; more is another word.
  return best !== null && best.distance <= Math.max(1, Math.floor(wanted.length / 3)) ? best.candidate : null;
}

function normalise(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
}

// Levenshtein's distance, one row at a time.
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (b[j - 1] === a[i] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
