import { type Comparison, differencesOf } from './compare.ts';

/** More than this many differences tell a person nothing new. */
const maxListed = 25;

/** The comparison as a table for a terminal, the differences below it. */
export function printComparison(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ table, wanted, found, differences }) => [
    table,
    String(wanted),
    String(found),
    differences.length === 0 ? 'none' : String(differences.length),
  ]);
  const differences = differencesOf(comparisons);
  const listed = differences
    .slice(0, maxListed)
    .map(({ table, kind, key, detail }) => `${kind}: ${table} ${key}: ${detail}`);
  const unlisted = differences.length - listed.length;
  return [
    ...printTable(['table', 'wanted', 'found', 'differences'], rows),
    ...(listed.length > 0 ? ['', ...listed] : []),
    ...(unlisted > 0 ? [`... and ${unlisted} more`] : []),
  ].join('\n');
}

/** Columns aligned: the first to the left, the others to the right. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
