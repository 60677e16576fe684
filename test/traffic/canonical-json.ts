/** JSON with its keys sorted at every level, so that equal values are equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, at: unknown) =>
    typeof at === 'object' && at !== null && !Array.isArray(at)
      ? Object.fromEntries(Object.entries(at).toSorted(byKey))
      : at,
  );
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
